"""Where in the user's source a name is first given its value: best effort, (path, line) or (None, None)."""
import ast

from . import cells, usercode

_trees = {}
NOWHERE = (None, None)


def tree_of(path):
    if path not in _trees:
        try:
            source = cells.text_of(path)
            if source is None:
                with open(path, "rb") as file:
                    source = file.read(2000000)
            _trees[path] = ast.parse(source)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            _trees[path] = None
    return _trees[path]


def targets(node):
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For)):
        return [node.target]
    return []


def flat(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from flat(part)
    else:
        yield target


def first(within, fits):
    lines = []
    for node in ast.walk(within):
        for target in targets(node):
            for part in flat(target):
                if fits(part):
                    lines.append(node.lineno)
    return min(lines) if lines else None


def defined(within, name):
    """The line of a function or class of that name, with its decorators."""
    for node in within.body:
        if getattr(node, "name", None) == name:
            return min([node.lineno] + [d.lineno for d in node.decorator_list])
    return None


def of_local(code, name):
    path = usercode.real_path(code.co_filename)
    tree = tree_of(path)
    if tree is None:
        return NOWHERE
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            begins = min([node.lineno] + [d.lineno for d in node.decorator_list])
            if begins <= code.co_firstlineno <= node.lineno:
                line = first(node, lambda t: isinstance(t, ast.Name) and t.id == name)
                return path, line or node.lineno
    return NOWHERE


def of_global(file, name):
    if not isinstance(file, str):
        return NOWHERE
    path = usercode.real_path(file)
    tree = tree_of(path)
    line = tree and first(tree, lambda t: isinstance(t, ast.Name) and t.id == name)
    line = line or tree and defined(tree, name)
    return (path, line) if line else NOWHERE


def of_attribute(kind, name):
    for owner in kind.__mro__:
        file = usercode.module_file(owner.__module__)
        if file is None or not usercode.is_user_file(file):
            continue
        path = usercode.real_path(file)
        tree = tree_of(path)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.ClassDef) and node.name == owner.__name__:
                line = first(node, lambda t: isinstance(t, ast.Attribute) and t.attr == name)
                for own in filter(targets, node.body):  # or the class has it
                    line = line or first(own, lambda t: isinstance(t, ast.Name) and t.id == name)
                line = line or defined(node, name)
                if line:
                    return path, line
    return NOWHERE
