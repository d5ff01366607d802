"""Plan file: a listening test as YAML or JSON, for the command line.

It says what a plan says (studio/listening/plan/plan.py), and beside it `files`: the recordings of each system of source `files`, and of the
reference, one for each text, relative to the folder of the plan:

    name: Ours and theirs
    method: ab
    texts: [Good morning., The train leaves at 7:45.]
    systems:
      - {id: ours, voice: Rosa, engine: espeak}
      - {id: theirs, label: The others, source: files}
    files:
      theirs: [theirs/1.wav, theirs/2.wav]

A configuration of webMUSHRA is a plan file too, and may be several tests: studio/listening/foreign/webmushra.py.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from pydantic import ValidationError

from engines.plain_json import read_json
from studio.listening.plan.plan import Plan
from studio.listening.plan.plan_check import screened_as_usual
from studio.listening.report.unreadable import PlanFileUnreadable
from studio.words.line import Line

__all__ = [
    "MOST_PLAN_BYTES",
    "REFERENCE",
    "PlannedSound",
    "PlannedTest",
    "bounded",
    "parsed",
    "plan_of",
    "read_plan",
    "recording_of",
    "too_large",
    "upload_of",
]

MOST_DEPTH = 20  # of parts in parts; a plan has 4, pages of webMUSHRA some more
MOST_PLAN_BYTES = 1 << 20  # 100 texts of 1000 characters of 4 bytes, and a third as much besides
REFERENCE = "reference"
_FILES = "files"


@dataclass(frozen=True)
class PlannedSound:
    """A recording that goes with a plan. system: its id, or "reference". text: index into the plan's. path: below the plan's folder."""

    system: str
    text: int
    path: str


@dataclass(frozen=True)
class PlannedTest:
    """left_out: of a foreign format, what the plan cannot carry."""

    plan: Plan
    uploads: tuple[PlannedSound, ...] = ()
    left_out: tuple[Line, ...] = ()


def read_plan(file: Path) -> PlannedTest:
    """The one test of a plan file. Raises PlanFileUnreadable, OSError. Recordings are not opened: `recording_of` finds each."""
    return plan_of(parsed(bounded(file)))


def too_large() -> PlanFileUnreadable:
    """Of what is beyond MOST_PLAN_BYTES."""
    return PlanFileUnreadable(sentence="plan_file_too_large", most_bytes=MOST_PLAN_BYTES)


def bounded(file: Path) -> str:
    """The text of a file. Raises PlanFileUnreadable where it is too large or no text, OSError."""
    with file.open("rb") as opened:
        data = opened.read(MOST_PLAN_BYTES + 1)
    if len(data) > MOST_PLAN_BYTES:
        raise too_large()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanFileUnreadable(sentence="plan_file_no_text", detail=file.name) from error


def parsed(text: str) -> dict[str, object]:
    """What a YAML or JSON text says. Raises PlanFileUnreadable with line and column."""
    import yaml

    try:
        found = _of_json_or_yaml(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise PlanFileUnreadable(place, sentence="plan_file_no_yaml", detail=error.problem or "") from error
    except (yaml.YAMLError, ValueError) as error:
        raise PlanFileUnreadable(hint="Save it as UTF-8.", sentence="plan_file_no_yaml", detail=f"{error}") from error
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise PlanFileUnreadable("name", hint="Begin with `name: ...` and `method: ...`.", detail="it is no table of names and values")
    return found


def _of_json_or_yaml(text: str) -> object:
    """JSON is read for itself: YAML takes all of it but tabs."""
    import yaml

    with suppress(ValueError):
        return read_json(text)
    loader, depth = getattr(yaml, "CSafeLoader", yaml.SafeLoader), 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > MOST_DEPTH:
            raise PlanFileUnreadable(sentence="plan_file_alias", detail=f"at most {MOST_DEPTH} deep, and no `*name`")
    return yaml.load(text, Loader=loader)


def plan_of(fields: Mapping[str, object]) -> PlannedTest:
    """fields: of a plan, and `files`. Raises PlanFileUnreadable with the place of the first thing that is wrong."""
    fields = dict(fields)
    files = fields.pop(_FILES, None) or {}
    try:
        plan = Plan.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(field.serialization_alias or name for name, field in Plan.model_fields.items())
        raise PlanFileUnreadable(
            ".".join(map(str, first["loc"])),
            hint=f"Fields of a plan: {known}, {_FILES}.",
            detail=f"{first['msg']}; it has {str(first['input'])[:80]!r}",
        ) from error
    return PlannedTest(screened_as_usual(plan), _uploads(plan, files))


def upload_of(system: str, text: int, path: object, place: str) -> PlannedSound:
    """Raises PlanFileUnreadable for a path that is not below the plan's folder, whatever system it is meant for."""
    if not isinstance(path, str) or not _is_inside(path):
        raise PlanFileUnreadable(place, sentence="plan_file_path", detail=f"{str(path)[:200]!r} is no path below its folder")
    return PlannedSound(system, text, path)


def _is_inside(path: str) -> bool:
    """Whether it leads below the folder that it is read in, on every system."""
    parts = PurePosixPath(path).parts
    if not parts or PurePosixPath(path).is_absolute() or ".." in parts or "\0" in path:
        return False
    return "\\" not in path and not PureWindowsPath(path).drive and not re.match(r"[a-zA-Z][\w+.-]*:", path)


def recording_of(upload: PlannedSound, folder: Path) -> Path:
    """The file of an upload, which exists. folder: of the plan. Raises PlanFileUnreadable, also for a link that leads out of the folder."""
    inside = folder.resolve()
    file = (inside / upload.path).resolve()
    if not file.is_relative_to(inside) or not file.is_file():
        raise PlanFileUnreadable(
            f"{_FILES}.{upload.system}.{upload.text}", sentence="plan_file_recording", detail=f"in {folder}", name=upload.path
        )
    return file


def _uploads(plan: Plan, files: object) -> tuple[PlannedSound, ...]:
    wanted = [system.id for system in plan.systems if system.source == "files"]
    if plan.reference and plan.reference.source == "files":
        wanted.append(REFERENCE)
    if not isinstance(files, Mapping) or set(files) != set(wanted):
        named = ", ".join(map(str, files)) if isinstance(files, Mapping) else repr(files)[:80]
        raise PlanFileUnreadable(_FILES, sentence="plan_file_files", detail=f"they are {named or 'nothing'}", wanted=", ".join(wanted))
    found = []
    for system in wanted:
        paths, place = files[system], f"{_FILES}.{system}"
        if not isinstance(paths, list) or len(paths) != len(plan.texts):
            has = len(paths) if isinstance(paths, list) else 0
            raise PlanFileUnreadable(place, sentence="plan_file_uneven", n=has, texts=len(plan.texts))
        found += [upload_of(system, text, path, f"{place}.{text}") for text, path in enumerate(paths)]
    return tuple(found)
