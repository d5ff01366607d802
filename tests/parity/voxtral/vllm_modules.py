"""The Voxtral folder of vllm-omni without vLLM: its modules import, and of vLLM there are names alone, but for the few that compute.

What the folder computes it computes in plain torch, so that nothing has to stand in for layers.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import sys
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

from torch import Tensor

__all__ = ["UPSTREAM", "module"]

UPSTREAM = "PyPI vllm-omni 0.30.0"
FOLDERS = ("vllm_omni.model_executor.models.voxtral_tts", "vllm_omni.transformers_utils.parsers")
ABSENT = ("vllm", "vllm_omni.platforms", "vllm_omni.quantization", "vllm_omni.transformers_utils.configs")


def module(name: str) -> ModuleType:
    """A module of the package's Voxtral folder, or the one that reads params.json, `parsers.voxtral_tts`."""
    _enter()
    return importlib.import_module(f"vllm_omni.transformers_utils.{name}" if name.startswith("parsers.") else f"{FOLDERS[0]}.{name}")


@cache
def _enter() -> None:
    """Have the folder's modules be importable without what the packages above it import when they start."""
    importlib.import_module("transformers")  # looks for vLLM's neighbors itself, before there are names of them
    found = importlib.util.find_spec("vllm_omni")
    if found is None:
        raise SystemExit("This interpreter has no vllm-omni: install the wheel of 0.30.0 without its dependencies, or put it on the path.")
    names = {".".join(folder.split(".")[: depth + 1]) for folder in FOLDERS for depth in range(folder.count(".") + 1)}
    for name in sorted(names):
        package = sys.modules[name] = ModuleType(name)
        package.__path__ = [str(Path(found.origin).parent.joinpath(*name.split(".")[1:]))]
    sys.meta_path.insert(0, _Finder())


def _load(parameter: Tensor, loaded: Tensor) -> None:
    if parameter.shape != loaded.shape:
        raise SystemExit(f"A tensor of the checkpoint is {tuple(loaded.shape)}, the official class has {tuple(parameter.shape)}.")
    parameter.data.copy_(loaded)


class _Named:
    """A class of which only the name is wanted, also with something in brackets behind it."""

    def __class_getitem__(cls, _: object) -> type:
        return cls


class _Registry:
    @staticmethod
    def register_processor(*_: object, **__: object):
        return lambda kind: kind


NAMES = {
    "init_logger": logging.getLogger,
    "default_weight_loader": _load,
    "maybe_prefix": lambda prefix, name: f"{prefix}.{name}" if prefix else name,
    "MULTIMODAL_REGISTRY": _Registry(),
    "_CONFIG_FORMAT_TO_CONFIG_PARSER": {},
    "current_omni_platform": SimpleNamespace(device_type="cpu"),
    "SupportsMultiModal": type("SupportsMultiModal", (), {}),
    "CustomProcessMixin": type("CustomProcessMixin", (), {}),
    "cached_tokenizer_from_config": lambda config: config.tokenizer,
    "init_vllm_registered_model": lambda vllm_config, **asked: vllm_config.model(**asked),
}


class _Absent(ModuleType):
    """A module of which only names are wanted."""

    __path__ = ()

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return NAMES[name] if name in NAMES else type(name, (_Named,), {})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, _path: object, _target: object = None) -> importlib.machinery.ModuleSpec | None:
        absent = any(name == root or name.startswith(f"{root}.") for root in ABSENT)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if absent else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Absent(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""
