"""Clip lists: takes lists of finished clips as tests of opinion (MOS) of uploaded systems. Three forms are known:

    P.808 toolkit (microsoft/P.808)   CSV with a column `rating_clips`; gold, trapping and training clips stay behind: a test has its own
    Kaldi, ESPnet                     `wav.scp`, a clip's id and path on each line; beside it `text`, the id and what is said
    folders of ESPnet                 a folder with a `wav.scp` for each system; what differs in their paths is the system

System and text are told by ids or paths (studio/listening/foreign/stimulus_names.py), and what was guessed is said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from studio.listening.foreign.likert_pages import LikertGrid, LikertStimulus, grids_of
from studio.listening.foreign.table_file import read_table
from studio.listening.plan.plan import MOST_TEXT_CHARACTERS, Plan, System
from studio.listening.report.plan_file import MOST_PLAN_BYTES, PlannedTest, bounded, too_large, upload_of
from studio.listening.report.unreadable import PlanFileUnreadable
from studio.words.line import Line

__all__ = ["is_clip_list", "read_clip_folder", "read_clip_list"]

MOST_CLIPS = 5000
MOST_LISTS = 40
RATED = "rating_clips"
LIST, WORDS = "wav.scp", "text"
_NOT_CARRIED = ("gold_clips", "trapping_clips", "training_clips", "references", "gold_clips_ans", "trapping_ans")
_LINE = re.compile(r"(\S+)[ \t]+(\S.*?\.(?:wav|flac|mp3|ogg|opus|m4a|aac))\s*", re.I)
_ADDRESS = re.compile(r"https?://[^/?#]+/+|/+", re.I)


def is_clip_list(text: str) -> bool:
    """Whether it is one of P.808 or of Kaldi."""
    first = next((line for line in text.splitlines() if line.strip()), "").lstrip("\ufeff")
    return RATED in re.split(r"[,;\t]", first.strip().strip('"')) or bool(_LINE.fullmatch(first))


def read_clip_list(text: str, name: str, words: Mapping[str, str] | None = None) -> tuple[PlannedTest, ...]:
    """name: of the tests. words: what is said, by a clip's id. Raises PlanFileUnreadable, VotesUnreadable."""
    if len(text) > MOST_PLAN_BYTES:
        raise too_large()
    if _LINE.fullmatch(next((line for line in text.splitlines() if line.strip()), "")):
        clips = list(_of_kaldi(text))
        return _tests([LikertStimulus(utterance, f"line {line}", utterance, path) for line, utterance, path in clips], name, words or {})
    table = read_table(text.encode())
    lost = [Line("import_option", {"place": RATED, "option": column}) for column in table.names if column in _NOT_CARRIED]
    paths = [path for path in table.column(RATED) if path]
    clips = [LikertStimulus(path, f"line {line}", "clip", _below(path)) for line, path in enumerate(paths, start=2)]
    return _tests(clips, name, {}, lost)


def read_clip_folder(folder: Path) -> tuple[PlannedTest, ...]:
    """A folder in which each system has a list of its own. Raises PlanFileUnreadable, OSError."""
    lists = sorted(folder.rglob(LIST))[: MOST_LISTS + 1]
    if not 1 <= len(lists) <= MOST_LISTS:
        raise PlanFileUnreadable(
            LIST,
            hint=f"Name a plan, or a folder with a {LIST} for each system.",
            detail=f"there are {len(lists)} files {LIST} in {folder.name}; 1 to {MOST_LISTS} can be read",
        )
    places = [file.parent.relative_to(folder).parts for file in lists]
    stimuli, words = [], {}
    for file, parts in zip(lists, places, strict=True):
        system = "/".join(part for part in parts if not all(part in other for other in places)) or "/".join(parts) or folder.name
        words |= _words_beside(file, folder)
        clips = _of_kaldi(bounded(file))
        stimuli += [LikertStimulus(utterance, f"{file.name}:{line}", system, path) for line, utterance, path in clips]
    if len(lists) == 1:
        return _tests([LikertStimulus(one.page, one.place, one.page, one.path) for one in stimuli], folder.name, words)
    return _tests([LikertStimulus(one.page, one.place, one.key, one.path) for one in stimuli], folder.name, words, is_named=True)


def _of_kaldi(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, id, path)"""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line)
        if not found or number > MOST_CLIPS:
            raise PlanFileUnreadable(
                f"line {number}",
                hint="Write an id, a blank and the path of a WAV on each line.",
                detail=f"{line[:80]!r} is no id and path of a clip, or there are more than {MOST_CLIPS}",
                sentence="plan_file_path",
            )
        yield number, found[1], _below(found[2])


def _below(path: str) -> str:
    """A path below a folder, of an address or of a path from the top."""
    found = _ADDRESS.match(path)
    return path[found.end() :].partition("?")[0] if found else path.removeprefix("./")


def _words_beside(file: Path, folder: Path) -> dict[str, str]:
    """Of `text` in the list's folder or above it, no higher than `folder`."""
    for parent in (file.parent, *file.parent.parents):
        if (parent / WORDS).is_file():
            pairs = (line.split(maxsplit=1) for line in bounded(parent / WORDS).splitlines())
            return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
        if parent == folder:
            break
    return {}


def _tests(
    stimuli: Sequence[LikertStimulus], name: str, words: Mapping[str, str], lost: Sequence[Line] = (), *, is_named: bool = False
) -> tuple[PlannedTest, ...]:
    """is_named: whether the keys are systems, and the pages texts."""
    if not 0 < len(stimuli) <= MOST_CLIPS:
        raise PlanFileUnreadable(
            RATED, hint="Choose another list.", detail=f"the list has {len(stimuli)} clips; 1 to {MOST_CLIPS} can be read"
        )
    made: list[PlannedTest] = []
    for number, grid in enumerate(grids_of(stimuli, is_named=is_named)):
        told = [Line("import_guessed", {"systems": list(grid.systems)})] if grid.guessed else []
        told += [Line("import_mixed", {"n": grid.mixed})] if grid.mixed else []
        made.append(_test(grid, name if not number else f"{name} ({number + 1})", words, (*(() if made else lost), *told)))
    return tuple(made)


def _test(grid: LikertGrid, name: str, words: Mapping[str, str], left_out: tuple[Line, ...]) -> PlannedTest:
    ids = {system: f"s{number}" for number, system in enumerate(grid.systems, start=1)}
    texts: dict[str, None] = {}
    for text in grid.texts:
        said = words.get(text, PurePosixPath(text).name or text)[:MOST_TEXT_CHARACTERS]
        texts[said if said not in texts else f"{said} ({text})"] = None
    systems = tuple(System(id=ids[system], label=(system or name)[:120], source="files") for system in grid.systems)
    plan = Plan(name=name[:120], method="mos", systems=systems, texts=tuple(texts))
    uploads = [upload_of(ids[system], text, one.path, one.place) for (system, text), one in grid.sounds.items()]
    return PlannedTest(plan, tuple(uploads), left_out)
