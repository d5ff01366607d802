"""DAMAGES: what happens to checkpoints between their makers and this machine, each as a change of a toy checkpoint's folder.

Three are not among them, since nothing in a file tells them: a square matrix that lies there transposed, zeros in a part of a matrix,
and the numbers of another model of the same sizes.
"""

import json
import os
import pickle
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import yaml

from tests.engines.damages.layouts import Layout
from tests.engines.damages.tensor_files import (
    INDEX,
    change_tensors,
    largest_matrix,
    read_tensors,
    shard,
    write_header_twice,
)

__all__ = ["DAMAGES", "Case", "Damage"]

SINGLE = "model.safetensors"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1000000\n"
PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Access to this model is restricted.</body></html>\n" * 20

# (what the message has to name, what does the damage); several where it can happen to several files.
Case = tuple[str, Callable[[], object]]
Damage = Callable[[Path, Layout], Iterator[Case]]


def _bytes(change: Callable[[bytes], bytes], *kinds: str) -> Damage:
    """Every file of these kinds, one after the other, with other bytes."""

    def cases(folder: Path, layout: Layout) -> Iterator[Case]:
        for name in _names(layout, kinds):
            file = folder / name
            yield file.name, lambda file=file: file.write_bytes(change(file.read_bytes()))

    return cases


def _file(change: Callable[[Path], object], *kinds: str) -> Damage:
    def cases(folder: Path, layout: Layout) -> Iterator[Case]:
        for name in _names(layout, kinds):
            yield Path(name).name, lambda file=folder / name: change(file)

    return cases


def _names(layout: Layout, kinds: tuple[str, ...]) -> list[str]:
    of_kind = {
        "numbers": layout.files,
        "weights": layout.weights,
        "config": (layout.config, *layout.more_configs),
        "vocabulary": (layout.vocabulary,) if layout.vocabulary else (),
    }
    return [name for kind in kinds for name in of_kind[kind]]


def _tensors(change: Callable[[dict, str], object]) -> Damage:
    """Of every file of weights its largest matrix. change: (tensors by name, the matrix's)."""

    def cases(folder: Path, layout: Layout) -> Iterator[Case]:
        for name in layout.weights:
            content = read_tensors(folder / name)
            matrix = largest_matrix(content.get("state_dict", content))
            yield matrix, lambda name=name, matrix=matrix: change_tensors(folder / name, lambda tensors: change(tensors, matrix))

    return cases


def _config(change: Callable[[dict, Layout], str]) -> Damage:
    """change: of the content, in place; returns the key that is to be named, "" where there is nothing to change."""

    def cases(folder: Path, layout: Layout) -> Iterator[Case]:
        file = folder / layout.config
        reads, writes = (yaml.safe_load, yaml.safe_dump) if file.suffix == ".yaml" else (json.loads, json.dumps)
        content = reads(file.read_text())
        if key := change(content, layout):
            yield key, lambda: file.write_text(writes(content))

    return cases


def _set(tensors: dict, matrix: str, number: float) -> None:
    tensors[matrix] = tensors[matrix].clone()
    tensors[matrix].view(-1)[tensors[matrix].numel() // 2] = number


def _stored_as(kind: torch.dtype) -> Damage:
    return _tensors(lambda tensors, matrix: tensors.update({matrix: (tensors[matrix].float() * 20).to(kind)}))


def _left_over(folder: Path, layout: Layout) -> Iterator[Case]:
    for name in layout.weights:
        change = lambda tensors: tensors.update({"novel.adapter.weight": torch.ones(4, 4)})  # noqa: E731
        yield "novel.adapter.weight", lambda name=name, change=change: change_tensors(folder / name, change)


def _cut(folder: Path) -> list[Path]:
    """In shards, where it is not."""
    return shard(folder) if (folder / SINGLE).is_file() else sorted(folder.glob("model-*.safetensors"))


def _of_shards(change: Callable[[Path, list[Path]], object], named: str) -> Damage:
    def cases(folder: Path, layout: Layout) -> Iterator[Case]:
        if layout.reads_index:
            yield named, lambda: change(folder, _cut(folder))

    return cases


def _index_names_what_is_not_there(folder: Path, _shards: list[Path]) -> None:
    index = json.loads((folder / INDEX).read_text())
    index["weight_map"][min(index["weight_map"])] = "model-00009-of-00009.safetensors"
    (folder / INDEX).write_text(json.dumps(index))


def _same_tensor_in_two_shards(_folder: Path, shards: list[Path]) -> None:
    first = read_tensors(shards[0])
    change_tensors(shards[1], lambda tensors: tensors.update({min(first): first[min(first)] + 1}))


def _twice_in_a_header(folder: Path, layout: Layout) -> Iterator[Case]:
    for name in layout.weights:
        if name.endswith(".safetensors"):
            yield Path(name).name, lambda name=name: write_header_twice(folder / name)


class _Code:
    """Whose pickle runs something."""

    def __reduce__(self) -> tuple:
        return os.system, ("true",)


def _pickled(file: Path) -> None:
    file.write_bytes(pickle.dumps({"model": _Code()}))


def _saved_with_code(file: Path) -> None:
    torch.save({"model": _Code(), "weight": torch.ones(3, 3)}, file)


def _folder_in_its_place(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _unreadable(file: Path) -> None:
    file.chmod(0)


def _other_type(content: dict, layout: Layout) -> str:
    """The first number of the file becomes a text."""

    def change(values: dict) -> str:
        for key, value in values.items():
            if isinstance(value, Mapping) and (found := change(value)):
                return found
            if isinstance(value, int) and not isinstance(value, bool) and key in ("hidden_size", "dim", "hidden_dim", "d_model"):
                values[key] = "many"
                return key
        return ""

    return change(content)


def _quantized(content: dict, layout: Layout) -> str:
    content["quantization_config"] = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    return "quantization_config"


def _scaled_rope(content: dict, layout: Layout) -> str:
    if layout.rope is None:
        return ""
    for key in layout.rope:
        content = content[key]
    content["rope_scaling"] = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    return "rope"


def _rows_gone(folder: Path, layout: Layout) -> Iterator[Case]:
    """The table of text has half of its rows: that of a model with another tokenizer."""
    if layout.vocabulary is None:
        return
    for name in layout.weights:
        content = read_tensors(folder / name)
        tables = [
            key for key in content if any(word in key for word in ("text_embedding", "embed_tokens", "tok_embeddings", "embeddings.weight"))
        ]
        tables += [key for key in content if "conditioner.embed" in key]
        if tables:
            table = max(tables, key=lambda key: content[key].numel())
            change = lambda tensors, table=table: tensors.update({table: tensors[table][: len(tensors[table]) // 2].clone()})  # noqa: E731
            yield table, lambda name=name, change=change: change_tensors(folder / name, change)


def _tokenizer_of_another(folder: Path, layout: Layout) -> Iterator[Case]:
    """One with twice as many words as the model has rows."""
    if layout.vocabulary is None:
        return
    file = folder / layout.vocabulary

    def grow() -> None:
        content = json.loads(file.read_text())
        if "vocab" in content and isinstance(content["vocab"], list):  # tekken
            last = content["vocab"][-1]
            more = [last | {"rank": last["rank"] + 1 + i, "token_bytes": "AAAA", "token_str": None} for i in range(len(content["vocab"]))]
            content["vocab"] += more
            content["config"]["default_vocab_size"] = 2 * content["config"]["default_vocab_size"]
        elif isinstance(content.get("model"), dict) and isinstance(content["model"]["vocab"], list):  # unigrams
            content["model"]["vocab"] += [[f"word{i}", -20.0] for i in range(len(content["model"]["vocab"]) * 2)]
        else:
            vocab = content["model"]["vocab"] if "model" in content else content
            first = max(vocab.values()) + 1
            vocab |= {f"word{i}": first + i for i in range(3 * first)}
        file.write_text(json.dumps(content))

    yield "", grow


def _without_a_token(folder: Path, layout: Layout) -> Iterator[Case]:
    """A vocabulary of one letter: a file that was cut and mended by hand."""
    if layout.vocabulary is None:
        return
    file = folder / layout.vocabulary

    def shrink() -> None:
        content = json.loads(file.read_text())
        if "vocab" in content and isinstance(content["vocab"], list):
            content["vocab"] = content["vocab"][:1]
        elif isinstance(content.get("model"), dict):
            vocab = content["model"]["vocab"]
            content["model"]["vocab"] = vocab[:1] if isinstance(vocab, list) else dict(list(vocab.items())[:1])
            content["added_tokens"], content["model"]["merges"] = [], []
        else:
            content = dict(list(content.items())[:1])
        file.write_text(json.dumps(content))

    yield "", shrink


def _other_codec(folder: Path, layout: Layout) -> Iterator[Case]:
    if layout.other is None:
        return
    write, file = layout.other

    def exchange() -> None:
        with TemporaryDirectory() as place:
            write(Path(place))
            shutil.copy(Path(place) / file, folder / layout.codec)

    yield "", exchange


def _gone(folder: Path, layout: Layout) -> Iterator[Case]:
    for name in (*layout.weights, *layout.graphs, layout.config, *layout.more_configs, layout.vocabulary):
        if name and name not in layout.optional:
            yield Path(name).name, (folder / name).unlink


def _merges_cut(folder: Path, layout: Layout) -> Iterator[Case]:
    """At the end of a line, so that it reads well."""
    if layout.vocabulary and (file := (folder / layout.vocabulary).with_name("merges.txt")).is_file():
        lines = file.read_text().splitlines(keepends=True)
        yield file.name, lambda: file.write_text("".join(lines[: len(lines) // 2]))


def _nulls(content: dict, layout: Layout) -> str:
    """Every section and number is null, as a tool writes what it does not know."""
    key = next((key for key, value in content.items() if isinstance(value, Mapping)), "hidden_size")
    content[key] = None
    return key


DAMAGES: dict[str, Damage] = {
    "cut in half": _bytes(lambda raw: raw[: len(raw) // 2], "numbers"),
    "empty file": _bytes(lambda raw: b"", "numbers"),
    "garbage where the header is": _bytes(lambda raw: b"\xff\x13\x00\x9e" * 16 + raw[64:], "numbers"),
    "a hole of zeros, all of it": _bytes(lambda raw: bytes(len(raw)), "numbers"),
    "Git LFS pointer": _bytes(lambda raw: POINTER, "numbers"),
    "a web page": _bytes(lambda raw: PAGE, "numbers", "config", "vocabulary"),
    "a pickle that runs code": _file(_pickled, "weights"),
    "torch's file with code": _file(_saved_with_code, "weights"),
    "a folder in its place": _file(_folder_in_its_place, "weights", "config", "vocabulary"),
    "gone": _gone,
    "not permitted": _file(_unreadable, "weights", "config", "vocabulary"),
    "a shard gone": _of_shards(lambda folder, shards: shards[0].unlink(), "model-00001"),
    "index names what is not there": _of_shards(_index_names_what_is_not_there, "model-00009"),
    "index damaged": _of_shards(lambda folder, shards: (folder / INDEX).write_text("{"), INDEX),
    "a tensor in two shards": _of_shards(_same_tensor_in_two_shards, "another file of the checkpoint"),
    "a tensor twice in a header": _twice_in_a_header,
    "NaN": _tensors(lambda tensors, matrix: _set(tensors, matrix, float("nan"))),
    "infinite": _tensors(lambda tensors, matrix: _set(tensors, matrix, float("-inf"))),
    "zeros for a tensor": _tensors(lambda tensors, matrix: tensors.update({matrix: torch.zeros_like(tensors[matrix])})),
    "int8": _stored_as(torch.int8),
    "F8": _stored_as(torch.float8_e4m3fn),
    "a tensor missing": _tensors(lambda tensors, matrix: tensors.pop(matrix)),
    "a tensor left over": _left_over,
    "another shape": _tensors(lambda tensors, matrix: tensors.update({matrix: tensors[matrix][:-1].clone()})),
    "config no JSON": _bytes(lambda raw: raw[: len(raw) // 2], "config"),
    "config null": _bytes(lambda raw: b"null", "config"),
    "config of other bytes": _bytes(lambda raw: raw.decode().encode("utf-16"), "config"),
    "a section null": _config(_nulls),
    "a key of another type": _config(_other_type),
    "quantized": _config(_quantized),
    "rotary embedding scaled": _config(_scaled_rope),
    "vocabulary cut": _bytes(lambda raw: raw[: len(raw) // 2], "vocabulary"),
    "merges cut": _merges_cut,
    "vocabulary null": _bytes(lambda raw: b"null", "vocabulary"),
    "vocabulary of one token": _without_a_token,
    "vocabulary of another model": _tokenizer_of_another,
    "table of text too short": _rows_gone,
    "wrong codec": _other_codec,
}
