"""Brings fakecuda in when torch has been imported; the agent's sitecustomize hands on to this one."""
import importlib.util
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


class Watch:
    busy = False

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self.busy:
            return None
        self.busy = True
        spec = importlib.util.find_spec(name)
        loader, execute = spec.loader, spec.loader.exec_module

        def exec_module(module):
            loader.exec_module = execute
            execute(module)
            if not hasattr(module._C, "_cuda_memoryStats"):  # a build for CUDA needs no help
                import fakecuda

                fakecuda.install()

        loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Watch())
