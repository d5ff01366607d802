"""The Fish folder of vllm-omni without vLLM: its modules import, and the few layers of vLLM that they are made of are these.

vLLM wants a GPU; what it computes in these layers is a line or two each. Of everything else that the modules import there is a name alone.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from types import ModuleType

import torch
from torch import Tensor, nn

__all__ = ["UPSTREAM", "module"]

UPSTREAM = "PyPI vllm-omni 0.30.0"
PACKAGE = "vllm_omni.model_executor.models.fish_speech"
ABSENT = ("vllm", "transformers", "vllm_omni.platforms", "vllm_omni.utils", "vllm_omni.model_executor.models.output_templates")


def module(name: str) -> ModuleType:
    """A module of the package's Fish folder."""
    _enter()
    return importlib.import_module(f"{PACKAGE}.{name}")


@cache
def _enter() -> None:
    """Have the folder's modules be importable without what the packages above it import when they start."""
    parts = PACKAGE.split(".")
    found = importlib.util.find_spec(parts[0])
    if found is None:
        raise SystemExit("This interpreter has no vllm-omni: install the wheel of 0.30.0 without its dependencies, or put it on the path.")
    for depth in range(1, len(parts) + 1):
        package = sys.modules[".".join(parts[:depth])] = ModuleType(".".join(parts[:depth]))
        package.__path__ = [str(Path(found.origin).parent.joinpath(*parts[1:depth]))]
    sys.meta_path.insert(0, _Finder())


class _Linear(nn.Linear):
    """Of vLLM on one device: a product, and no bias beside it."""

    def forward(self, rows: Tensor) -> tuple[Tensor, None]:
        return super().forward(rows), None


class QKVParallelLinear(_Linear):
    def __init__(self, hidden_size: int, head_size: int, total_num_heads: int, total_num_kv_heads: int, **_: object):
        super().__init__(hidden_size, (total_num_heads + 2 * total_num_kv_heads) * head_size, bias=False)


class MergedColumnParallelLinear(_Linear):
    def __init__(self, input_size: int, output_sizes: Sequence[int], **_: object):
        super().__init__(input_size, sum(output_sizes), bias=False)


class RowParallelLinear(_Linear):
    def __init__(self, input_size: int, output_size: int, **_: object):
        super().__init__(input_size, output_size, bias=False)


class RMSNorm(nn.RMSNorm):
    def __init__(self, width: int, eps: float):
        super().__init__(width, eps)


class _Rope(nn.Module):
    """Neighbouring channels, from a table that load_weights rounds to bfloat16."""

    def __init__(self, width: int, max_position: int, rope_parameters: dict, is_neox_style: bool):
        super().__init__()
        assert not is_neox_style
        frequencies = 1.0 / rope_parameters["rope_theta"] ** (torch.arange(0, width, 2).float() / width)
        angles = torch.outer(torch.arange(max_position).float(), frequencies)
        self.width, self.cos_sin_cache = width, torch.cat([angles.cos(), angles.sin()], dim=-1).bfloat16().float()

    def forward(self, positions: Tensor, *rows: Tensor) -> tuple[Tensor, ...]:
        cos, sin = self.cos_sin_cache[positions][:, None].chunk(2, dim=-1)
        turned = []
        for part in rows:
            heads = part.view(len(part), -1, self.width)
            even, odd = heads[..., ::2], heads[..., 1::2]
            turned.append(torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1).view_as(part))
        return tuple(turned)


NAMES = {
    "QKVParallelLinear": QKVParallelLinear,
    "MergedColumnParallelLinear": MergedColumnParallelLinear,
    "RowParallelLinear": RowParallelLinear,
    "RMSNorm": RMSNorm,
    "get_rope": lambda width, **given: _Rope(width, given["max_position"], given["rope_parameters"], given["is_neox_style"]),
    "init_logger": logging.getLogger,
    "set_current_vllm_config": lambda *_: nullcontext(),
}


class _Absent(ModuleType):
    """A module of which only names are wanted."""

    __path__ = ()

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return NAMES.get(name) or type(name, (), {})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, _path: object, _target: object = None) -> importlib.machinery.ModuleSpec | None:
        absent = any(name == root or name.startswith(f"{root}.") for root in ABSENT)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if absent else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Absent(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""
