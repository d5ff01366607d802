"""CastTests: a listening test of one script in two casts. Lines of it are said with its own cast and with another, and heard blind."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engines.errors import EngineError
from studio.errors import CastsAlike, CastTestFailed, CastTestTooLarge
from studio.listening.plan.plan import MOST_NAME_CHARACTERS, MOST_TEXT_CHARACTERS, MOST_TEXTS
from studio.listening.plan.plan_check import plan_of
from studio.running.jobs.background_jobs import BackgroundJobs, JobProgress, OnProgress
from studio.scripts.export.order import ExportOrder
from studio.scripts.saying.saying import Saying
from studio.scripts.script.cast import NARRATOR, CastMember
from studio.scripts.script.line import ScriptLine
from studio.scripts.script.script import ReadScript, Script
from studio.service import Studio

__all__ = ["CastMethod", "CastTestOrder", "CastTests"]

CastMethod = Literal["ab", "abx", "cmos", "mos", "mushra-like"]  # those that need no reference
OWN, OTHER = "script", "other"  # ids of the two systems
USUAL_TEXTS = 20  # where nobody says which lines: a test of ten minutes
SCENE_CHARACTERS = 500  # 50 s at 10 characters a second, which is slow; a sound of a test may have 60 s
LEAST_CHARACTERS = 12  # a sound of a test has at least 0.4 s; at 30 characters a second, which is fast
LOOK_SECONDS = 0.2  # between two looks at what is being said
MOST_LABEL_CHARACTERS = 120


@dataclass(frozen=True)
class CastTestOrder:
    """cast: who speaks otherwise; who is not named speaks as in the script. lines: ids, None for some of those that differ.

    is_by_scene: whether lines that follow each other are one sound.
    """

    cast: tuple[CastMember, ...]
    method: CastMethod = "ab"
    name: str = ""
    lines: tuple[str, ...] | None = None
    is_by_scene: bool = False


@dataclass(frozen=True)
class _Casts:
    """The script's own and the other one, whole."""

    own: tuple[CastMember, ...]
    other: tuple[CastMember, ...]

    @classmethod
    def of(cls, script: Script, changed: Sequence[CastMember]) -> "_Casts":
        named = {member.name: member for member in script.cast}
        return cls(script.cast, tuple((named | {member.name: member for member in changed}).values()))

    def differ_for(self, who: str) -> bool:
        """Whether somebody sounds otherwise in them."""
        return _heard(self.own, who) != _heard(self.other, who)

    def labels(self) -> tuple[str, str]:
        """What results call the two: who speaks with which voice, of those that differ."""
        names = [member.name for member in self.other if self.differ_for(member.name)]
        own, other = _label(self.own, self.other, names), _label(self.other, self.own, names)
        return (own, other) if own != other else (f"{own} (1)", f"{other} (2)")


class CastTests:
    """Of one process. Thread-safe."""

    def __init__(self) -> None:
        self._jobs = BackgroundJobs("a blind test of two casts", CastTestFailed)
        self._lock = threading.Lock()  # of those who begin
        self._tests: dict[str, str] = {}  # script -> its last test

    def begin(self, studio: Studio, script_id: str, order: CastTestOrder) -> str:
        """The id of a draft of a listening test, whose sounds are then made; where that goes on already, of that one.

        Raises CastsAlike, CastTestTooLarge, what `Listening.create` and `Scripts.script` do.
        """
        script = studio.scripts.script(script_id)
        with self._lock:
            if self._jobs.is_running(script.id):
                return self._tests[script.id]
            casts = _Casts.of(script, order.cast)
            items = _items(script, studio.scripts.lines(script.id), casts, order)
            test = studio.listening.create(plan_of(_plan(script, casts, order, items)))
            self._tests[script.id] = test.id
            self._jobs.begin(script.id, _CastTestMaking(studio, script, casts, items, test.id).run)
            return test.id

    def progress(self, studio: Studio, script_id: str) -> tuple[str, JobProgress] | None:
        """(the test, how far its sounds are); None where none was asked for since the studio began."""
        progress = self._jobs.progress(studio.scripts.script(script_id).id)
        return None if progress is None else (self._tests[script_id], progress)

    def stop(self, studio: Studio, script_id: str) -> None:
        """Soon; the draft goes."""
        self._jobs.stop(studio.scripts.script(script_id).id)

    def close(self) -> None:
        """Stop all, and wait for them."""
        self._jobs.close()


@dataclass(frozen=True)
class _CastTestMaking:
    """items: lines of each sound."""

    studio: Studio
    script: Script
    casts: _Casts
    items: tuple[tuple[ScriptLine, ...], ...]
    test_id: str

    def run(self, on_progress: OnProgress, is_stopped: Callable[[], bool]) -> None:
        """Say with both casts, send the sounds to the test, and have it rendered. Where that fails or is stopped, the test goes."""
        scripts, is_done = self.studio.scripts, False
        lines = tuple(line for item in self.items for line in item)
        copy = scripts.create(self._copied(lines))
        try:
            scripts.say(self.script.id, Saying(lines=tuple(line.id for line in lines)))
            scripts.say(copy.id, Saying())
            if self._awaited((self.script.id, copy.id), on_progress, is_stopped):
                self._send(OWN, self.script.id, iter([line.id for line in lines]))
                self._send(OTHER, copy.id, iter(scripts.line_ids(copy.id)))
                self.studio.listening.begin_rendering(self.test_id)
                is_done = True
        finally:
            scripts.delete(copy.id)
            if not is_done:
                self.studio.listening.delete(self.test_id)

    def _copied(self, lines: Sequence[ScriptLine]) -> ReadScript:
        """Of these lines alone, in the other cast."""
        head = self.script.head.model_copy(update={"title": f"{self.script.head.title} ({OTHER})"[-200:]})
        return ReadScript(head, tuple(line.written for line in lines), self.casts.other, "", dictionary=self.script.dictionary)

    def _awaited(self, ids: Sequence[str], on_progress: OnProgress, is_stopped: Callable[[], bool]) -> bool:
        """Whether nobody stopped it. Raises what kept a line from being said."""
        scripts, pause = self.studio.scripts, threading.Event()
        while True:
            found = [scripts.progress(one) for one in ids]
            on_progress(sum(one.n_done for one in found), sum(one.n_total for one in found), "")
            if not any(one.is_running for one in found):
                break
            if is_stopped():
                for one in ids:
                    scripts.stop(one)
                return False
            pause.wait(LOOK_SECONDS)
        if failure := next((one.failure for one in found if isinstance(one.failure, EngineError)), None):
            raise failure
        return True

    def _send(self, system: str, script_id: str, line_ids: Iterator[str]) -> None:
        """The sound of each item, as the export makes it: with pauses and gains."""
        for number, item in enumerate(self.items):
            order = ExportOrder.model_validate({"format": "wav", "lines": tuple(next(line_ids) for _ in item)})
            file = self.studio.scripts.export(script_id, order)
            try:
                self.studio.listening.add_sound(self.test_id, system, number, b"".join(file.blocks()), f"{number}.wav")
            finally:
                file.close()


def _items(script: Script, lines: Sequence[ScriptLine], casts: _Casts, order: CastTestOrder) -> tuple[tuple[ScriptLine, ...], ...]:
    """The lines of each sound. Raises CastsAlike, CastTestTooLarge."""
    if order.lines is None:
        chosen = [line for line in lines if _is_said(line) and (order.is_by_scene or casts.differ_for(line.written.who))]
    else:
        named = set(order.lines)
        chosen = [line for line in lines if line.id in named and not line.written.is_silent]
    if not any(casts.differ_for(line.written.who) for line in chosen):
        raise CastsAlike
    items = _scenes(lines, chosen) if order.is_by_scene else [(line,) for line in chosen]
    items = [item for item in items if order.lines or any(casts.differ_for(line.written.who) for line in item)]
    if order.lines is None:
        items = [item for item in items if len(_text(item)) <= MOST_TEXT_CHARACTERS and len(_text(item)) >= LEAST_CHARACTERS] or items
        items = _spread(items, USUAL_TEXTS)
    if len(items) > MOST_TEXTS:
        raise CastTestTooLarge(len(items), MOST_TEXTS)
    return tuple(items)


def _scenes(lines: Sequence[ScriptLine], chosen: Sequence[ScriptLine]) -> list[tuple[ScriptLine, ...]]:
    """Chosen lines that follow each other, as far as they fit into one sound; a heading begins another."""
    wanted, scenes, scene = {line.id for line in chosen}, [], []
    for line in lines:
        n_characters = len(_text((*scene, line)))
        if scene and (line.id not in wanted or line.written.kind == "heading" or n_characters > SCENE_CHARACTERS):
            scenes.append(tuple(scene))
            scene = []
        if line.id in wanted:
            scene.append(line)
    return [*scenes, tuple(scene)] if scene else scenes


def _spread(items: list, most: int) -> list:
    """So many of them, from the beginning to the end."""
    if len(items) <= most:
        return items
    return [items[round(at * (len(items) - 1) / (most - 1))] for at in range(most)]


def _plan(script: Script, casts: _Casts, order: CastTestOrder, items: Sequence[Sequence[ScriptLine]]) -> dict[str, object]:
    labels = casts.labels()
    systems = [{"id": name, "label": label, "source": "files"} for name, label in zip((OWN, OTHER), labels, strict=True)]
    name = order.name or f"{script.head.title}: {labels[0]} / {labels[1]}"
    texts = [_text(item) for item in items]
    plan: dict[str, object] = {"name": name[:MOST_NAME_CHARACTERS], "method": order.method, "systems": systems, "texts": texts}
    return plan | ({"language": script.head.language} if script.head.language else {})


def _text(item: Sequence[ScriptLine]) -> str:
    return re.sub(r"\s+", " ", " ".join(line.written.text for line in item)).strip()


def _is_said(line: ScriptLine) -> bool:
    return not line.written.is_silent and bool(line.written.text.strip())


def _heard(cast: Sequence[CastMember], who: str) -> CastMember:
    """Who says it, with what is heard: a name that the cast does not have is the narrator's."""
    named = {member.name: member for member in cast}
    member = named.get(who) or named.get(NARRATOR) or CastMember.model_validate({})
    return member.model_copy(update={"name": "", "gain_db": 0.0})


def _label(cast: Sequence[CastMember], other: Sequence[CastMember], names: Sequence[str]) -> str:
    told = (f"{name or '–'}: {_told(_heard(cast, name), _heard(other, name))}" for name in names)
    return ", ".join(told)[: MOST_LABEL_CHARACTERS - 4]


def _told(member: CastMember, other: CastMember) -> str:
    """The voice, or the engine's own, and whatever else is not as in the other cast."""
    named, than = member.model_dump(exclude={"name", "voice"}), other.model_dump()
    differs = [f"{name} {value}" for name, value in named.items() if value != than[name] and value not in (None, {})]
    return " ".join([member.voice or "default", *differs])
