"""Evaluation file: all that an evaluation found as JSON, which can be read again, as by `--since`.

    {"format": "voice-studio-evaluation", "version": 1, "studio": "0.3.0", "data": {"evaluation", "cells", "voices", "systems", ...},
     "findings": {...}}

`findings` is there for other programs; what is read again is `data`. Sounds are named by their SHA-256, and lie in no such file.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from engines.errors import CallerMistake
from engines.plain_json import read_json
from studio import __version__
from studio.errors import StudioError
from studio.evaluations.plan.cell import CellKey
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.statistics.findings import EvaluationFindings

__all__ = ["FORMAT", "VERSION", "EvaluationFileUnusable", "data_of_json", "evaluation_json"]

FORMAT = "voice-studio-evaluation"
VERSION = 1
_DATA = TypeAdapter(EvaluationData)


class EvaluationFileUnusable(StudioError, CallerMistake):
    """detail: what is wrong, in English, for programs. values: of another sentence than its own, "sentence" among them."""

    code = "evaluation_file_unusable"
    parameter = "file"

    def __init__(self, detail: str = "", hint: str = "", **values: object):
        super().__init__(detail=detail, hint=hint, **values)


def evaluation_json(data: EvaluationData, findings: EvaluationFindings) -> bytes:
    """UTF-8, indented by one space. The same findings make the same bytes."""
    file = {"format": FORMAT, "version": VERSION, "studio": __version__, "data": _plain(data), "findings": _plain(findings)}
    return (json.dumps(file, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def data_of_json(file: bytes) -> EvaluationData:
    """What evaluation_json made. Raises EvaluationFileUnusable for anything else, for a later form, and for one that does not hold
    together."""
    try:
        told = read_json(file.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        raise EvaluationFileUnusable(f"it is no JSON: {error}") from error
    if not isinstance(told, Mapping) or told.get("format") != FORMAT:
        raise EvaluationFileUnusable(f'it has no "format": "{FORMAT}"')
    version = told.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise EvaluationFileUnusable("it has no version")
    if version > VERSION:
        raise EvaluationFileUnusable(sentence="evaluation_file_newer", n=version)
    try:
        data = _DATA.validate_python(told.get("data"))
    except ValidationError as error:
        first = error.errors()[0]
        raise EvaluationFileUnusable(f"{'.'.join(map(str, ('data', *first['loc'])))}: {first['msg']}") from error
    _check_whole(data)
    return data


def _check_whole(data: EvaluationData) -> None:
    """That cells are of the plan, each once, and figures are numbers. Raises EvaluationFileUnusable."""
    planned, found = set(data.evaluation.plan.cells()), [cell.key for cell in data.cells]
    strange = next((key for key in found if key not in planned), None)
    if strange is not None:
        raise EvaluationFileUnusable(f"its plan has no cell {'/'.join(map(str, strange))}")
    if len(set(found)) < len(found):
        raise EvaluationFileUnusable("a cell is there twice")
    for cell in data.cells:
        values = cell.measures.values if cell.measures else {}
        if not all(map(math.isfinite, values.values())):
            raise EvaluationFileUnusable(f"a figure of the cell {'/'.join(map(str, cell.key))} is no number")


def _plain(value: Any) -> Any:
    """As JSON has it: what is no number is left out of figures."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items() if not (isinstance(one, float) and not math.isfinite(one))}
    if isinstance(value, CellKey):
        return {key: _plain(one) for key, one in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
