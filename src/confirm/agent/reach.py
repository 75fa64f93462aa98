"""What the user's names reach: a tree over live objects whose leaves are tensors, graph nodes and what those hold.

The tree begins at the locals of the user's running functions (outermost first) and the globals of the user's modules; each
object stands where it was reached first. Nothing here survives the analysis that made it. An object is asked for nothing that
its class could answer with code: isinstance() would, so types are compared.
"""
import collections
import functools
import gc
import sys
import time
import types
import weakref

from . import devices, usercode

MOST_OBJECTS = 400000
MOST_NODES = 400000
LONGEST = 2.0  # seconds of this thread's own: how busy the machine is must not decide what is seen

_ATOMS = {
    int, float, str, bytes, bool, type(None), complex, type(Ellipsis), type(NotImplemented), range, slice, bytearray,
    types.ModuleType, types.CodeType, types.BuiltinFunctionType, types.GetSetDescriptorType, types.MemberDescriptorType,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType, type(object().__str__),
    type(sys.flags),
}  # fmt: skip
_WEAK = ("weakref", "weakproxy", "weakcallableproxy", "ReferenceType", "KeyedRef", "WeakMethod")


class Unit:
    """Something that takes memory: a storage or a graph node."""

    __slots__ = ("owner", "moment", "bytes", "used", "nodes", "tensors", "site", "sure", "freed", "place")

    def __init__(self, owner, moment, bytes=0, used=0, nodes=0, tensors=0, site=0, sure=True):
        self.owner, self.moment, self.bytes, self.used = owner, moment, bytes, used
        self.nodes, self.tensors, self.site, self.sure = nodes, tensors, site, sure
        self.freed = None  # of a node that saved tensors: whether backward has freed them
        self.place = None  # "cuda:0" of what lies on an accelerator


class Reach:
    def __init__(self, torch, series, saved, blocks, first_seen, places=None):
        """BLOCKS: {address: (size, moment, site)} where births are known; PLACES: {address: "cuda:0"} of those on accelerators."""
        self.torch, self.series, self.blocks, self.first_seen = torch, series, blocks, first_seen
        self.saved_by = saved
        self.places = places or {}
        self.objects, self.parents, self.edges = [], [], []
        self.seen = set()
        self.units = []
        self.storages = {}
        self.wrappers = {}  # address -> weak reference to a tensor of it, where births are reckoned from look to look
        self.nodes = set()
        self.carriers = []  # (sequence number of grad_fn, owner, grad_fn)
        self.kinds = {}
        self.plain = []
        self.viewed = {}  # id of what arrays view -> bytes that they use of it
        self.frames = []
        self.deadline = time.thread_time() + LONGEST
        self.complete = True
        self.next = 0
        ctx = getattr(torch.autograd.function, "BackwardCFunction", None)
        self.function_node = ctx if isinstance(ctx, type) else ()

    # -- the tree

    def add(self, obj, parent, edge):
        if type(obj) in _ATOMS or id(obj) in self.seen:
            return
        if len(self.objects) >= MOST_OBJECTS:
            self.complete = False
            return
        self.seen.add(id(obj))
        self.objects.append(obj)
        self.parents.append(parent)
        self.edges.append(edge)

    def root(self, kind, name, owner):
        """A node that stands for a frame or a module; `owner` is its mapping or frame."""
        self.objects.append(owner)
        self.parents.append(-1)
        self.edges.append((kind, name))
        self.seen.add(id(owner))
        return len(self.objects) - 1

    def begin(self, value, at, edge):
        """A tensor that a variable names waits: where an object or a container has it too, that one keeps it."""
        if issubclass(type(value), self.torch.Tensor):
            self.plain.append((value, at, edge))
        else:
            self.add(value, at, edge)

    def allow(self, seconds):
        self.deadline = time.thread_time() + seconds

    def run(self, frames, modules):
        for frame in frames:
            if not usercode.owns_its_locals(frame):
                continue  # its locals are a module's globals
            at = self.root("frame", frame.f_code.co_name, frame)
            self.frames.append(frame)
            for name, value in list(frame.f_locals.items()):
                self.begin(value, at, ("local", name))
        for name, module in modules:
            at = self.root("module", name, module.__dict__)
            for key, value in list(module.__dict__.items()):
                if not key.startswith("__") and key not in ("In", "Out", "exit", "quit"):
                    self.begin(value, at, ("global", key))
        self.walk()
        for value, at, edge in self.plain:
            self.add(value, at, edge)
        self.plain = []
        self.walk()
        self.walk_graphs()

    def walk(self):
        objects = self.objects
        while self.next < len(objects):
            at = self.next
            self.next += 1
            if not at & 1023 and time.thread_time() > self.deadline:
                self.complete = False
                return
            if self.parents[at] < 0:
                continue
            obj = objects[at]
            expand = self.kinds.get(type(obj))
            if expand is None:
                expand = self.kinds[type(obj)] = self.choose(type(obj))
            try:
                expand(obj, at)
            except Exception:
                pass

    def choose(self, kind):
        torch = self.torch
        name = kind.__name__
        if kind.__name__ in _WEAK or issubclass(kind, types.ModuleType):
            return self.nothing
        if issubclass(kind, type):
            return self.expand_class
        if issubclass(kind, torch.Tensor):
            return self.expand_tensor
        if self.function_node and issubclass(kind, self.function_node):
            return self.expand_context
        if kind.__module__ == "numpy" and name == "ndarray":
            return self.expand_ndarray
        if issubclass(kind, dict):
            return self.expand_dict
        if issubclass(kind, (list, tuple, collections.deque)):
            return self.expand_sequence
        if issubclass(kind, (set, frozenset)):
            return self.expand_set
        if kind is types.FunctionType:
            return self.expand_function
        if kind is types.MethodType:
            return self.expand_method
        if kind is functools.partial:
            return self.expand_partial
        if issubclass(kind, BaseException):
            return self.expand_exception
        if kind is types.TracebackType:
            return self.expand_traceback
        if kind is types.FrameType:
            return self.expand_frame
        if kind.__module__ in ("torch._C", "torch._ops", "torch.jit") or kind.__module__.startswith("_vramlint"):
            return self.nothing
        if kind.__module__.startswith("torch._dynamo") or kind.__module__.startswith("torch.fx"):
            return self.nothing
        return self.expand_instance

    def nothing(self, obj, at):
        pass

    def expand_dict(self, obj, at):
        for key, value in list(dict.items(obj)):
            if type(key) not in _ATOMS:
                self.add(key, at, ("key", "keys()"))
            if type(value) not in _ATOMS:
                self.add(value, at, ("item", key))
        if type(obj) is not dict:
            self.expand_attributes(obj, at)

    def expand_sequence(self, obj, at):
        atoms = _ATOMS
        fields = getattr(type(obj), "_fields", None) if isinstance(obj, tuple) else None
        for i, value in enumerate(list(obj)):
            if type(value) not in atoms:
                self.add(value, at, ("attr", fields[i]) if fields and i < len(fields) else ("index", i))
        if type(obj) not in (list, tuple, collections.deque):
            self.expand_attributes(obj, at)

    def expand_set(self, obj, at):
        for value in list(obj):
            self.add(value, at, ("index", 0))

    def expand_attributes(self, obj, at):
        try:
            attributes = object.__getattribute__(obj, "__dict__")
        except AttributeError:
            attributes = None
        if type(attributes) is dict:
            self.seen.add(id(attributes))
            for key, value in list(attributes.items()):
                if type(value) in _ATOMS:
                    continue
                if key in ("_modules", "_parameters", "_buffers") and type(value) is dict:
                    self.seen.add(id(value))
                    for name, part in list(value.items()):
                        self.add(part, at, ("attr", name))
                else:
                    self.add(value, at, ("attr", key))
        for kind in type(obj).__mro__:
            slots = kind.__dict__.get("__slots__")
            for name in (slots,) if isinstance(slots, str) else slots or ():
                descriptor = kind.__dict__.get(name)
                if type(descriptor) is types.MemberDescriptorType:
                    try:
                        self.add(descriptor.__get__(obj), at, ("attr", name))
                    except AttributeError:
                        pass

    def expand_instance(self, obj, at):
        self.expand_attributes(obj, at)
        for value in gc.get_referents(obj):
            kind = type(value)
            if kind in _ATOMS or kind is dict and id(value) in self.seen:
                continue
            if not issubclass(kind, type):
                self.add(value, at, ("held", ""))

    def expand_class(self, obj, at):
        module = sys.modules.get(obj.__module__)
        if module is None or not (
            obj.__module__ == "__main__" or usercode.is_user_file(getattr(module, "__file__", None) or "")
        ):
            return
        for key, value in list(obj.__dict__.items()):
            if not key.startswith("__"):
                if isinstance(value, (staticmethod, classmethod)):
                    value = value.__func__
                self.add(value, at, ("attr", key))

    def expand_function(self, obj, at):
        for name, cell in zip(obj.__code__.co_freevars, obj.__closure__ or ()):
            try:
                self.add(cell.cell_contents, at, ("closure", name))
            except ValueError:
                pass
        for value in obj.__defaults__ or ():
            self.add(value, at, ("attr", "__defaults__"))
        for name, value in (obj.__kwdefaults__ or {}).items():
            self.add(value, at, ("attr", name))
        for name, value in obj.__dict__.items():
            self.add(value, at, ("attr", name))

    def expand_method(self, obj, at):
        self.add(obj.__self__, at, ("attr", "__self__"))
        self.add(obj.__func__, at, ("attr", "__func__"))

    def expand_partial(self, obj, at):
        self.add(obj.func, at, ("attr", "func"))
        self.add(obj.args, at, ("attr", "args"))
        self.add(obj.keywords, at, ("attr", "keywords"))

    def expand_exception(self, obj, at):
        for name in ("__traceback__", "__context__", "__cause__", "args"):
            self.add(getattr(obj, name), at, ("attr", name))
        self.expand_attributes(obj, at)

    def expand_traceback(self, obj, at):
        while obj is not None:
            self.add(obj.tb_frame, at, ("attr", "tb_frame"))
            obj = obj.tb_next

    def expand_frame(self, obj, at):
        if not usercode.owns_its_locals(obj):
            return
        self.frames.append(obj)
        for name, value in list(obj.f_locals.items()):
            self.add(value, at, ("local", name))

    def expand_ndarray(self, obj, at):
        if obj.base is not None:
            used = self.viewed.get(id(obj), obj.nbytes)
            self.viewed[id(obj.base)] = max(used, self.viewed.get(id(obj.base), 0))
            self.add(obj.base, at, ("attr", "base"))
        if obj.dtype.hasobject and obj.size < 10000:
            for value in obj.flat:
                self.add(value, at, ("index", 0))

    def expand_context(self, obj, at):
        """A graph node of the user's own Function, or its ctx."""
        self.expand_attributes(obj, at)
        self.carriers.append((self.number(obj), at, obj))

    # -- tensors and graphs

    def number(self, node):
        try:
            return node._sequence_nr()
        except Exception:
            return 1 << 62

    def expand_tensor(self, tensor, at):
        attributes = getattr(tensor, "__dict__", None)
        if attributes:
            self.expand_attributes(tensor, at)
        hooks = tensor._backward_hooks
        if hooks:
            self.add(hooks, at, ("attr", "_backward_hooks"))
        later = getattr(tensor, "_post_accumulate_grad_hooks", None)
        if later:
            self.add(later, at, ("attr", "_post_accumulate_grad_hooks"))
        leaf = tensor.is_leaf
        if leaf and tensor.requires_grad or not leaf and tensor.retains_grad:
            self.add(tensor.grad, at, ("attr", "grad"))
        self.hold(tensor, at)
        node = tensor.grad_fn
        if node is not None:
            self.carriers.append((self.number(node), at, node))

    def hold(self, tensor, at, fallback=None):
        """The tensor's storage, if nobody has it yet."""
        try:
            storage = tensor.untyped_storage()
            address, size = storage.data_ptr(), storage.nbytes()
        except Exception:
            return
        used = min(size, self.viewed.get(id(tensor), tensor.numel() * tensor.element_size()))
        place = None if tensor.is_cpu else devices.place(tensor)
        if place is not None:  # a part of a block is no waste that anybody could help
            size, used = devices.rounded(size), devices.rounded(used)
        known = self.storages.get(address)
        if known is not None:
            known.used = min(known.bytes, known.used + used)
            return
        if address == 0 or size == 0:
            return
        block = self.blocks.get(address) if self.blocks is not None else None
        sure = True
        if block is not None:
            size, moment, site = block
        else:
            site = 0
            node = tensor.grad_fn
            if node is not None:
                moment = self.series.moment_of_node(self.number(node))
                site = self.series.site_of_node(self.number(node))
            elif fallback is not None:
                moment = fallback
            else:
                moment = self.seen_before(address, tensor)
                sure = moment is not None
                if not sure:
                    moment = self.series.moment
                self.wrappers[address] = weakref.ref(tensor)
        unit = Unit(at, moment, bytes=size, used=used, tensors=1, site=site, sure=sure)
        unit.used = min(used, size)
        unit.place = place
        self.storages[address] = unit
        self.units.append(unit)

    def seen_before(self, address, tensor):
        """The moment that was reckoned for it at an earlier look; None where it is new, as at the address of one that has gone."""
        moment, known = self.first_seen.get(address, (None, None))
        if known is None:
            return moment
        known = known()
        same = known is tensor or known is not None and known.untyped_storage().data_ptr() == address
        return moment if same else None

    def addresses(self):
        """For the next look: {address: (moment, weak reference to a tensor of it, or None)}."""
        return {address: (unit.moment, self.wrappers.get(address)) for address, unit in self.storages.items()}

    def walk_graphs(self):
        """Gives each node to the tensor with the oldest graph that has it: that one carries it from step to step."""
        while self.carriers:
            batch, self.carriers = sorted(self.carriers, key=lambda c: c[0]), []
            for number, at, node in batch:
                self.walk_graph(at, node)
            self.walk()

    def walk_graph(self, at, first):
        stack = [first]
        nodes, series = self.nodes, self.series
        while stack:
            node = stack.pop()
            if node in nodes:
                continue
            if len(nodes) >= MOST_NODES or not len(nodes) & 255 and time.thread_time() > self.deadline:
                self.complete = False
                return
            nodes.add(node)
            for following, _ in node.next_functions:
                if following is not None and following not in nodes:
                    stack.append(following)
            number = self.number(node)
            if number >= 1 << 62:
                continue  # an AccumulateGrad: as old as its parameter
            moment = series.moment_of_node(number)
            unit = Unit(at, moment, nodes=1)
            self.units.append(unit)
            unit.freed = self.saved(node, at, moment)

    def saved(self, node, at, moment):
        values, freed = self.saved_by.of(node)
        for name, value in values:
            if isinstance(value, self.torch.Tensor):
                self.hold(value, at, moment)
            elif type(value) not in _ATOMS:
                self.add(value, at, ("attr", "_saved_" + name))
        if self.function_node and isinstance(node, self.function_node) and id(node) not in self.seen:
            self.seen.add(id(node))
            for name, value in list(getattr(node, "__dict__", {}).items()):
                self.add(value, at, ("attr", "ctx." + name))
        return freed

    def release(self):
        """Lets go of everything, and of the copies of locals that Python left on the frames."""
        frames, self.frames = self.frames, []
        self.objects, self.carriers, self.nodes, self.units = [], [], set(), []
        self.storages, self.seen, self.plain = {}, set(), []
        for frame in frames:
            usercode.forget_locals(frame)


