"""LaunchCounter: counts from operations what work would launch, move and compute on a GPU. It refuses operations that mix devices."""

import traceback
from collections import Counter
from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from engines.kit.fused.operations import KEYS_OF_PART
from engines.kit.gauges.dispatch_gauge import DispatchGauge
from engines.kit.gauges.flops import flops
from engines.kit.gauges.roofline import KernelWork, n_bytes
from engines.kit.nn.ieee_float32 import takes_tensor_float32

__all__ = ["LaunchCounter", "site"]

# Operations that launch nothing: views, shapes, and memory that is not written.
FREE = {
    "view", "_unsafe_view", "reshape", "_reshape_alias", "expand", "expand_as", "permute", "transpose", "t", "slice", "select", "unsqueeze",
    "squeeze", "split", "split_with_sizes", "unbind", "chunk", "detach", "alias", "as_strided", "unfold", "unflatten", "flatten", "view_as",
    "diagonal", "narrow", "movedim", "swapaxes", "broadcast_tensors", "numpy_T", "empty", "empty_strided", "empty_like", "new_empty",
    "new_empty_strided", "lift_fresh", "resize", "set", "device", "layout", "dtype", "numel", "dim", "size", "sym_size", "stride",
    "is_same_size", "result_type", "item", "is_nonzero", "is_pinned", "_has_compatible_shallow_copy_type", "record_stream",
}  # fmt: skip
COPIES = {"_to_copy", "to", "copy", "_copy_from", "clone", "contiguous", "type_as"}  # free where they have nothing to do
READ_PARTS = {"embedding", "index", "index_select", "gather"}  # of their first tensor, as much as they give
MOVED_ALONE = {"rotate_halves_into_cache", "rotate_neighbors_into_cache"}  # their first tensor; of a cache the rows that are new
# Which argument, a cache or a table, which may be in a list.
READ_IN_PART = {"normed_heads_into_cache": 3, "draw_codes": 3, "draw_codes_cut_first": 3, "frames_into_rows": 1}
WRITTEN_PARTS = {"index_put", "index_copy", "scatter"}  # as much as their last tensor holds
SEVERAL = {"sort": 2, "cumsum": 1}  # kernels of operations that torch launches as several (CUDA build of torch 2.11)
MASKED_ATTENTION = 5  # a mask that is not ready to be added is turned into one that is, broadcast and padded: for every layer anew
ALIGNED_ELEMENTS = 8  # a mask whose rows lie a multiple of so many elements apart is read as it is (preprocess_mask in aten)


class LaunchCounter(DispatchGauge):
    """Counts while it is entered. Tensors need be nowhere: it is meant for fake ones.

    kernels: by operation. work: of operations, what each moves and computes, as often as it is done. to_device, to_host: copies.
    where: each copy was made, file and line. Composite operations that torch sees whole in inference mode count once.
    """

    def __init__(self):
        super().__init__()
        self.kernels: Counter[str] = Counter()
        self.work: Counter[KernelWork] = Counter()
        self.to_device = self.to_host = 0
        self.where: Counter[str] = Counter()

    @property
    def n_kernels(self) -> int:
        return sum(self.kernels.values())

    @property
    def bytes(self) -> int:
        """That kernels read and write."""
        return n_bytes(self.work)

    @property
    def n_copies(self) -> int:
        """Between host and device."""
        return self.to_device + self.to_host

    def copied_to_device(self) -> None:
        """A tensor was made of numbers of the host: no operation that could be seen."""
        self.to_device += 1
        self.where[f"to device at {site()}"] += 1

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func._schema.name.split("::")[1].rstrip("_") or func._schema.name
        if name in FREE:
            return func(*args, **kwargs)
        given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        if name not in COPIES:
            _refuse_mixed(name, given)
        result = func(*args, **kwargs)
        self._count(name, args, kwargs, given, [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)])
        return result

    def _count(self, name: str, args: tuple, kwargs: dict, given: list[Tensor], made: list[Tensor]) -> None:
        if not any(tensor.is_cuda for tensor in given + made):
            return
        if name in COPIES:
            source, target = given[-1 if name == "copy" else 0], made[0]
            if source.is_cuda != target.is_cuda:
                self.to_host += source.is_cuda
                self.to_device += target.is_cuda
                self.where[f"{'to host' if source.is_cuda else 'to device'} at {site()}"] += 1
                return
            if name in ("to", "contiguous", "type_as") and source is target:
                return
        self.kernels[name] += LAUNCHES[name](args, kwargs) if name in LAUNCHES else SEVERAL.get(name, 1)
        parts = {**dict.fromkeys(READ_PARTS, made), **dict.fromkeys(WRITTEN_PARTS, given[-1:]), **dict.fromkeys(MOVED_ALONE, given[:1])}
        moved = 2 * parts[name] if name in parts else _moved_in_part(name, args, given, made) if name in READ_IN_PART else given + made
        n_moved = sum(prod(tensor.shape) * tensor.element_size() for tensor in moved if tensor.is_cuda)
        self.work[KernelWork(n_moved, flops(name, args, made), _precision(given[0] if given else made[0]))] += 1


def site(frames: Sequence[traceback.FrameSummary] | None = None) -> str:
    """The innermost line of the engines that is being run, or that these frames tell of."""
    for frame in reversed(frames or traceback.extract_stack()):
        if "/engines/" in frame.filename and "/tests/" not in frame.filename:
            return f"{frame.filename.split('/engines/')[-1]}:{frame.lineno}"
    return "somewhere outside of the engines"


def _refuse_mixed(name: str, tensors: list[Tensor]) -> None:
    """Fake convolutions let a tensor of the host pass beside weights on the device; a GPU does not. Single numbers may lie anywhere."""
    devices = {tensor.device.type for tensor in tensors if tensor.ndim}
    if len(devices) > 1:
        raise RuntimeError(f"{name} was given tensors on {' and '.join(sorted(devices))} at {site()}")


def _moved_in_part(name: str, args: tuple, given: list[Tensor], made: list[Tensor]) -> list[Tensor]:
    """All but a cache, of which only as many rows are written as there are new keys and values; and but a table, of which rows are read
    that are written too, or added up.
    """
    if name == "frames_into_rows":
        rows, _, codes, places = given
        return [codes, places, *(rows.new_empty(numbers.numel(), rows.shape[2]) for numbers in (codes, places))]
    in_part = args[READ_IN_PART[name]]
    rest = [tensor for tensor in given if not any(tensor is part for part in tree_leaves(in_part))]
    if name != "normed_heads_into_cache":
        return rest + made + made[1:]
    queries = made[0]  # (B, kv heads, groups, T, d)
    return [*rest, queries, queries.new_empty(2, *queries.shape[:2], *queries.shape[3:])]


def _attention(args: tuple, kwargs: dict) -> int:
    """Kernels of scaled_dot_product_attention: one, unless its mask has to be made ready."""
    query, mask = args[0], kwargs.get("attn_mask", args[3] if len(args) > 3 else None)
    is_ready = mask is None or (mask.dtype == query.dtype and not any(stride % ALIGNED_ELEMENTS for stride in mask.stride()[:-1]))
    return 1 if is_ready else MASKED_ATTENTION


def _attention_to_past(args: tuple, kwargs: dict) -> int:
    """Kernels of attend_to_past: a second one joins the parts of a long memory."""
    return 1 if args[1].shape[3] <= KEYS_OF_PART else 2


LAUNCHES = {"scaled_dot_product_attention": _attention, "attend_to_past": _attention_to_past}


def _precision(tensor: Tensor) -> str:
    """That products of it are computed in."""
    return "tfloat32" if tensor.dtype == torch.float32 and takes_tensor_float32() else str(tensor.dtype).removeprefix("torch.")
