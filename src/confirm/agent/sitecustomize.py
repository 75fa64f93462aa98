"""Python imports this at its start, as PYTHONPATH begins with this folder: it brings the agent in and leaves no trace."""
import sys


def _enter():
    import importlib.util
    import os
    from importlib.machinery import PathFinder

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    sys.path_importer_cache.pop(here, None)
    try:
        spec = importlib.util.spec_from_file_location(
            "_vramlint", os.path.join(here, "boot.py"), submodule_search_locations=[here]
        )
        sys.modules["_vramlint"] = agent = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(agent)
        agent.start()
    except Exception:
        sys.modules.pop("_vramlint", None)
    shadowed = PathFinder.find_spec("sitecustomize", sys.path)
    if shadowed is not None and shadowed.loader is not None:
        module = importlib.util.module_from_spec(shadowed)
        sys.modules["sitecustomize"] = module
        shadowed.loader.exec_module(module)


_enter()
