"""Checkpoint: named tensors of one safetensors file, of a sharded set, or of torch's own file. It reads them strictly, one at a time."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint_files import AGAIN, checkpoint_files, is_lfs_pointer, names_in_header
from engines.kit.weights.torch_file import TORCH_SUFFIXES, named_tensors

__all__ = ["Checkpoint", "put_tensor", "without_memory"]

# As safetensors' headers write them.
DTYPES = {
    "BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32, "F64": torch.float64, "I64": torch.int64, "I32": torch.int32,
    "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool,
}  # fmt: skip
LEAST_HOLE_BYTES = 4096  # what a file system leaves out where nothing was written; a smaller matrix may have been trained to nothing
MOST_NAMED = 20  # tensors per kind of fault in one message; the count is always whole

T = TypeVar("T", bound=nn.Module)

# Suffix of a packed tensor -> suffixes of the tensors of the checkpoint that it holds one above the other (along dimension 0).
Packs = Mapping[str, tuple[str, ...]]


class Checkpoint:
    """The tensors of a folder (model.safetensors, or the shards that model.safetensors.index.json names) or of one file.

    A file that ends as torch's do (.pth, .pt, .bin, .ckpt) is read without running what a pickle can name; levels, strip, notes and
    sections are for such a file, see `named_tensors`. Any other is safetensors.
    Nothing but names and shapes is read before a tensor is asked for. Close it when all is loaded.
    Raises CheckpointInvalid where there is no such file, where it is damaged, and where Git LFS has left a pointer in its place.
    """

    _may_be_blank: Sequence[str] = ()

    def __init__(
        self,
        folder_or_file: Path | str,
        *,
        levels: Sequence[str] = (),
        strip: Sequence[str] = (),
        notes: Sequence[str] = (),
        sections: bool = False,
        may_be_blank: Sequence[str] = (),
    ):
        """may_be_blank: patterns of names of matrices in which zeros alone are what is meant, and not what a download left out."""
        self._may_be_blank = may_be_blank
        self._stack = ExitStack()
        self._holder: dict[str, safe_open | dict[str, Tensor]] = {}  # name -> the open file that has it
        for path in checkpoint_files(Path(folder_or_file)):
            try:
                file = self._open(path, partial(named_tensors, levels=levels, strip=strip, notes=notes, sections=sections))
            except CheckpointInvalid:
                self.close()
                raise
            if twice := sorted(self._holder.keys() & file.keys()):
                self.close()
                raise CheckpointInvalid(f"{path.name} holds {twice[0]}, which another file of the checkpoint holds, too.", AGAIN)
            self._holder |= dict.fromkeys(file.keys(), file)
        self._used: set[str] = set()

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Close the files. What was loaded stays, also where it is the file's own memory."""
        self._stack.close()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._holder)

    def tensor(self, name: str) -> Tensor:
        """The tensor as stored, on the CPU. Raises CheckpointInvalid for a name that is not there."""
        file = self._file(name)
        self._used.add(name)
        return file[name] if isinstance(file, dict) else file.get_tensor(name)

    def dtype(self, name: str) -> torch.dtype:
        """Of the tensor as stored. Raises CheckpointInvalid for a name that is not there, and for quantized ones (F8_E4M3)."""
        file = self._file(name)
        stored = file[name].dtype if isinstance(file, dict) else file.get_slice(name).get_dtype()
        kind = stored if isinstance(stored, torch.dtype) else DTYPES.get(stored)
        if kind is None or kind not in DTYPES.values():
            raise CheckpointInvalid(f"{name} is stored as {stored}, which is not read.", "Use the weights as their makers released them.")
        return kind

    def weight_dtype(self, name: str) -> torch.dtype:
        """The same of what a network multiplies with. Raises CheckpointInvalid for whole numbers, too."""
        kind = self.dtype(name)
        if not kind.is_floating_point:
            fact = f"{name} is stored as {kind}, which is no weight without a scale."
            raise CheckpointInvalid(fact, "Use the weights as their makers released them, not a quantized copy.")
        return kind

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the tensor. Raises CheckpointInvalid for a name that is not there."""
        file = self._file(name)
        return tuple(file[name].shape if isinstance(file, dict) else file.get_slice(name).get_shape())

    def load_into(
        self,
        module: nn.Module,
        prefix: str = "",
        *,
        rename: Callable[[str], str] | None = None,
        ignore: Iterable[str] = (),
        packs: Packs | None = None,
        device: torch.device | str = "cpu",
    ) -> None:
        """Fill every parameter and every persistent buffer of the module, each in the module's own dtype.

        prefix: what the checkpoint's names begin with; tensors that begin otherwise are another module's affair.
        rename: from a name in the module to the name in the checkpoint, both without prefix.
        ignore: patterns (`*` stands for anything) of names, without prefix, that may be there and are not wanted.
        packs: see Packs; applied after rename. device: for parameters made on the device "meta"; others stay where they are. With "meta"
        here too all is compared and nothing is read.
        On the CPU a tensor made on "meta" that has the file's dtype becomes the file's own memory, mapped and not copied: its pages are
        read here, where every number is looked at. So a file that is loaded may be deleted or replaced, but not written over.
        Raises CheckpointInvalid that names every tensor that is missing, unexpected, of another shape, or of whole or packed numbers where
        weights are, as quantized models have them without the scale that makes weights of them: then nothing has been loaded. Also for
        tensors with a number that is not finite, or is beyond what the module's dtype has, and for matrices of nothing but zeros, which an
        unfinished download leaves.
        """
        wanted = {}
        for name, slot in module.state_dict(keep_vars=True).items():
            parts = _parts(rename(name) if rename else name, packs or {})
            wanted[name] = (slot, [prefix + part for part in parts])
        sources = {source for _, parts in wanted.values() for source in parts}
        missing = sorted(sources - self.names)
        others = (name for name in self.names - sources if name.startswith(prefix))
        extra = sorted(n for n in others if not any(fnmatchcase(n[len(prefix) :], pattern) for pattern in ignore))
        shapes = [line for slot, parts in wanted.values() if not set(parts) & set(missing) for line in self._misfits(slot, parts)]
        _refuse(prefix, missing, extra, shapes)
        for slot, parts in wanted.values():
            self._check_kind(slot, parts)
        for name, (slot, parts) in wanted.items():
            self._fill(module, name, slot, parts, torch.device(device))
        self._check_numbers(self._filled(module, wanted))
        self._used |= {name for name in self.names if name.startswith(prefix)} - set(extra)

    def check_all_used(self) -> None:
        """Raises CheckpointInvalid that names the tensors under no prefix that was loaded: a model that is not the one expected."""
        _refuse("", [], sorted(self.names - self._used), [])

    def digest(self, names: Iterable[str]) -> str:
        """SHA-256 over name, dtype, shape and bytes of these tensors in the order of their names: the same however files are cut."""
        hasher = hashlib.sha256()
        for name in sorted(names):
            tensor = self.tensor(name).contiguous()
            hasher.update(f"{name}:{tensor.dtype}:{tuple(tensor.shape)};".encode())
            hasher.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
        return hasher.hexdigest()

    def _open(self, path: Path, of_torch: Callable[[Path], dict[str, Tensor]]) -> safe_open | dict[str, Tensor]:
        if is_lfs_pointer(path):
            raise CheckpointInvalid(f"{path.name} is a Git LFS pointer, not the weights.", "Run in its folder: git lfs pull")
        if path.suffix in TORCH_SUFFIXES:
            return of_torch(path)
        names_in_header(path)
        try:
            return self._stack.enter_context(safe_open(path, framework="pt", device="cpu"))
        except (OSError, SafetensorError) as error:
            raise CheckpointInvalid(f"{path.name} cannot be read: {error}.", AGAIN) from error

    def _file(self, name: str) -> safe_open | dict[str, Tensor]:
        if name not in self._holder:
            raise CheckpointInvalid(f"The checkpoint has no tensor {name}.", AGAIN)
        return self._holder[name]

    def _check_kind(self, slot: Tensor, parts: list[str]) -> None:
        """Raises CheckpointInvalid for whole numbers where weights are."""
        for part in parts if slot.is_floating_point() else ():
            self.weight_dtype(part)

    def _filled(self, module: nn.Module, wanted: Mapping[str, tuple[Tensor, list[str]]]) -> dict[str, Tensor]:
        """The checkpoint's names -> what of the module was filled from it, floating and in memory."""
        filled = {}
        for name, tensor in module.state_dict().items():
            if name in wanted and tensor.is_floating_point() and not tensor.is_meta and tensor.numel() > 0:
                parts = wanted[name][1]
                pieces = tensor.split([self.shape(part)[0] for part in parts]) if len(parts) > 1 else (tensor,)
                filled |= zip(parts, pieces, strict=True)
        return filled

    def _check_numbers(self, weights: Mapping[str, Tensor]) -> None:
        """Raises CheckpointInvalid for weights that are not finite, whose greatest or least is not then, and for those that are blank."""
        bounds = {name: torch.stack(tensor.aminmax()) for name, tensor in weights.items()}
        endless = [name for name, bound in bounds.items() if not bound.isfinite().all()]
        _refuse_damaged([name for name in endless if not self.tensor(name).isfinite().all()], "numbers that are not finite")
        if endless:
            dtype = str(weights[endless[0]].dtype).removeprefix("torch.")
            largest = max(float(self.tensor(name).abs().max()) for name in endless)
            fact = f"The weights do not fit {dtype}: {_some(endless)} {'has' if len(endless) == 1 else 'have'} numbers up to {largest:g}."
            raise CheckpointInvalid(fact, "Set the engine's dtype to float32.", sentence="weights_beyond_dtype", name=dtype)
        large = [name for name, tensor in weights.items() if tensor.ndim > 1 and tensor.nbytes >= LEAST_HOLE_BYTES]
        holes = [name for name in large if not any(fnmatchcase(name, pattern) for pattern in self._may_be_blank)]
        _refuse_damaged([name for name in holes if not bounds[name].any()], "nothing but zeros")

    def _misfits(self, slot: Tensor, parts: list[str]) -> Iterator[str]:
        """What is wrong with the shapes of the parts of one tensor of the module."""
        shapes = [self.shape(part) for part in parts]
        rows = sum(shape[0] if shape else 1 for shape in shapes)
        if len(parts) == 1:
            if shapes[0] != tuple(slot.shape):
                yield f"{parts[0]} is {shapes[0]}, expected {tuple(slot.shape)}"
        elif rows != slot.shape[0] or any(shape[1:] != tuple(slot.shape[1:]) for shape in shapes):
            yield f"{' + '.join(parts)} are {shapes}, expected {tuple(slot.shape)} in all"

    def _fill(self, module: nn.Module, name: str, slot: Tensor, parts: list[str], device: torch.device) -> None:
        if not slot.is_meta:
            self._copy(slot.detach(), parts)
            return
        if device.type == "meta":
            return
        target = self.tensor(parts[0])
        is_fit = target.dtype == slot.dtype and target.device == device and target.is_contiguous()
        if len(parts) > 1 or not is_fit or target.data_ptr() % target.itemsize:
            target = torch.empty(slot.shape, dtype=slot.dtype, device=device)
            self._copy(target, parts)
        put_tensor(module, name, target)

    def _copy(self, target: Tensor, parts: list[str]) -> None:
        if len(parts) == 1:  # which may have no dimension to be laid out along
            target.copy_(_narrowed(self.tensor(parts[0]), target.dtype))
            return
        at = 0
        for part in parts:
            tensor = _narrowed(self.tensor(part), target.dtype)
            target[at : at + len(tensor)].copy_(tensor)
            at += len(tensor)


def put_tensor(module: nn.Module, name: str, tensor: Tensor) -> None:
    """Have the module's parameter or buffer of that name, dots included, be this tensor itself."""
    owner, _, leaf = name.rpartition(".")
    holder = module.get_submodule(owner)
    is_parameter = isinstance(getattr(holder, leaf), nn.Parameter)
    setattr(holder, leaf, nn.Parameter(tensor, requires_grad=False) if is_parameter else tensor)


def without_memory(make: Callable[[], T], dtype: torch.dtype = torch.float32) -> T:
    """The network before its weights are there: nothing is allocated, and nothing drawn at random."""
    with torch.device("meta"), _Undrawn():
        return make().to(dtype).requires_grad_(False).eval()


class _Undrawn(TorchFunctionMode):
    """torch.nn.init leaves tensors as they are: on the device "meta", drawing for one takes milliseconds, and a network has hundreds."""

    def __torch_function__(self, func: Callable, types: Sequence[type], args: tuple = (), kwargs: Mapping | None = None) -> object:
        kwargs = kwargs or {}
        if getattr(func, "__module__", None) == torch.nn.init.__name__:
            return kwargs.get("tensor", args[0] if args else None)
        return func(*args, **kwargs)


def _narrowed(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """Not every device takes float64."""
    return tensor.to(dtype) if tensor.dtype == torch.float64 else tensor


def _parts(name: str, packs: Packs) -> list[str]:
    for packed, parts in packs.items():
        if name == packed or name.endswith("." + packed):
            return [name[: len(name) - len(packed)] + part for part in parts]
    return [name]


def _refuse_damaged(names: list[str], what: str) -> None:
    if names:
        fact = f"The weights are damaged: {_some(names)} {'holds' if len(names) == 1 else 'hold'} {what}."
        raise CheckpointInvalid(fact, AGAIN)


def _refuse(prefix: str, missing: list[str], extra: list[str], shapes: list[str]) -> None:
    faults = {"missing": missing, "unexpected": extra, "of another shape": shapes}
    said = [f"{len(names)} {kind}: {_some(names)}" for kind, names in faults.items() if names]
    if said:
        where = f" under {prefix}" if prefix else ""
        raise CheckpointInvalid(f"The checkpoint's tensors{where} do not fit: {'; '.join(said)}.", "Fetch the weights of the right model.")


def _some(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
