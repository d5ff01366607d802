"""Tensor tables: name, shape and type of every tensor of a released file, a line for each row of numbered ones.

`python -m tests.released.tensor_table FILE.tsv [FILE OF A COLUMN "file"] > FILE.tensors` writes one from a list with a line per tensor.
A line is `layers.{0..27}.mlp.up_proj.weight<TAB>3072x1024<TAB>BF16`; braces stand for all numbers from first to last, - for no dimension.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from csv import DictReader
from itertools import product
from pathlib import Path

__all__ = ["Tensors", "compacted", "read_table"]

Tensors = dict[str, tuple[tuple[int, ...], str]]  # name -> (shape, dtype as safetensors writes it)
Row = tuple[str, str, str]
RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")


def read_table(file: Path) -> Tensors:
    """All tensors, in the order in which safetensors lays them out: wider types first, then by name (safetensors 0.6, serialize)."""
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    named = {name: (_shape(shape), dtype) for pattern, shape, dtype in rows for name in _expanded(pattern)}
    width = {"F32": 4, "I64": 8, "F64": 8, "I32": 4, "BF16": 2, "F16": 2, "BOOL": 1, "U8": 1}
    return dict(sorted(named.items(), key=lambda item: (-width[item[1][1]], item[0])))


def compacted(rows: Iterable[Row]) -> list[Row]:
    """(name, shape, dtype), names that differ in one number made one, from their last number to their first."""
    rows = sorted(rows)
    for place in range(max(name.count(".") for name, _, _ in rows), -1, -1):
        groups: dict[tuple, list[int]] = defaultdict(list)
        for name, shape, dtype in rows:
            parts = name.split(".")
            if place < len(parts) and parts[place].isdecimal():
                groups[".".join(parts[:place]), ".".join(parts[place + 1 :]), shape, dtype].append(int(parts[place]))
            else:
                groups[name, None, shape, dtype].append(-1)
        rows = [row for key, numbers in groups.items() for row in _joined(key, sorted(numbers))]
    return sorted(rows)


def _joined(key: tuple, numbers: list[int]) -> Iterator[Row]:
    before, after, shape, dtype = key
    if after is None:
        yield before, shape, dtype
        return
    is_row = len(numbers) > 1 and numbers == list(range(numbers[0], numbers[-1] + 1))
    for number in [f"{{{numbers[0]}..{numbers[-1]}}}"] if is_row else numbers:
        yield ".".join(part for part in (before, str(number), after) if part), shape, dtype


def _expanded(pattern: str) -> Iterator[str]:
    numbers = [range(int(first), int(last) + 1) for first, last in RANGE.findall(pattern)]
    for chosen in product(*numbers):
        filled = iter(chosen)
        yield RANGE.sub(lambda _, filled=filled: str(next(filled)), pattern)


def _shape(text: str) -> tuple[int, ...]:
    return () if text == "-" else tuple(map(int, text.split("x")))


if __name__ == "__main__":
    lines = list(DictReader(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    shapes = [line["shape"].strip("[]").replace(" ", "").replace(",", "x") or "-" for line in lines]
    listed = [
        (line["name"], shape, line["dtype"]) for line, shape in zip(lines, shapes, strict=True) if line.get("file") in (None, *sys.argv[2:])
    ]
    print("\n".join("\t".join(row) for row in compacted(listed)))
