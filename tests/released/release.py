"""Release and ReleasedFile: a checkpoint as its makers have put it out, as far as that is public. FACTS has what is known.

It is written as a folder of the released size: files that are known, and names, shapes and types over a hole where values would be.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import torch

from engines.contract.options import Value
from tests.released.hollow_onnx import as_modules_have_them, write_hollow_onnx
from tests.released.tensor_table import Tensors, read_table
from tests.stand_ins.random_checkpoint import write_tensors

__all__ = ["DTYPES", "FACTS", "Release", "ReleasedFile"]

FACTS = Path(__file__).parent
DTYPES = {
    "BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32, "I64": torch.int64, "I32": torch.int32, "BOOL": torch.bool,
}  # fmt: skip


@dataclass(frozen=True)
class ReleasedFile:
    """One file of tensors. table: of FACTS. n_bytes: as published. n_read: tensors that our networks take.

    unread: pattern of names that are there and not read -> why. shared: pattern of names that two networks read -> why.
    metadata: of a safetensors header. level: key under which torch's archive has the tensors, "" for none. same: name -> the name whose
    storage it shares there. n_note_bytes: what the published file holds beside tensors, beyond what ours here does.
    wrapped: of an archive with a mapping for each network, what every name in it begins with; None for an archive with one mapping.
    """

    table: str
    n_bytes: int
    n_read: int
    unread: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    level: str = "state_dict"
    same: Mapping[str, str] = field(default_factory=dict)
    n_note_bytes: int = 0
    wrapped: str | None = None

    @cached_property
    def tensors(self) -> Tensors:
        """Of an ONNX file as its modules have them."""
        return as_modules_have_them(read_table(FACTS / self.table))

    def write(self, file: Path) -> None:
        """The file with all its names, shapes and types, and a hole where the values would be."""
        if file.suffix == ".safetensors":
            write_tensors(file, self.tensors, metadata=self.metadata)
            return
        if file.suffix == ".onnx":
            write_hollow_onnx(file, read_table(FACTS / self.table))
            return
        named = {name: torch.empty(shape, dtype=DTYPES[dtype]) for name, (shape, dtype) in self.tensors.items() if name not in self.same}
        named |= {name: named[other] for name, other in self.same.items()}
        if self.wrapped is not None:
            networks: dict[str, dict[str, torch.Tensor]] = {}
            for name, tensor in named.items():
                network, _, rest = name.partition(".")
                networks.setdefault(network, {})[self.wrapped + rest] = tensor
            named = networks
        with torch.serialization.skip_data():  # which leaves values out, so that this memory is never touched
            torch.save({self.level: named} if self.level else named, file)


@dataclass(frozen=True)
class Release:
    """A checkpoint as its makers have put it out.

    copies: file of the checkpoint -> its copy in FACTS. files: file of the checkpoint -> what is known of its tensors.
    write_rest: what the reader wants beside them (a vocabulary), into the folder. read: the engine's own loading code, onto "meta".
    converted: pattern of names -> why our networks hold them in another dtype than the file.
    digests: file of the checkpoint, of those without tensors, whose bytes follow from what is known -> its published SHA-256.
    options: load options that choose it.
    """

    engine: str
    repository: str
    n_bytes: int
    copies: Mapping[str, str]
    files: Mapping[str, ReleasedFile]
    write_rest: Callable[[Path], None]
    read: Callable[[Path], object]
    converted: Mapping[str, str]
    digests: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Value] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """The checkpoint, every file of tensors of its released size, a hole behind its header."""
        for name, copy in self.copies.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(FACTS / copy, folder / name)
        for name, file in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            file.write(folder / name)
        self.write_rest(folder)
        return folder
