"""HistoryEntry: one speech that is kept, as its file of facts has it."""

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engines.contract.contract import EngineInfo
from engines.contract.speech_end import ENDED
from engines.plain_json import read_json
from studio.prompts.source import PromptSource
from studio.speech.request import SpeakerRequest
from studio.speech.timed_words import TimedWord
from studio.timeline import Start, TimeToFirstSound
from studio.workspace import EVERYBODY

__all__ = ["HistoryEntry", "read_entry"]

_ID = re.compile(r"[0-9a-f]{32}")
_REASONS_OF_0_3 = {"whole": "ended", "stopped": "cancelled"}  # how files say it that were written by version 0.3 and before


@dataclass(frozen=True)
class HistoryEntry:
    """One speech. at: seconds since 1970 when it began. speaker: its name then, None for the engine's own default.

    generation_id: of a stored speaker, else None. options: all of them, as resolved, so that the same seed can speak again.
    ended, warning: reason and warning of its SpeechEnd. seconds: of audio. ttfp_seconds, cache, start: from its Timeline.
    heard_seconds: TimeToFirstSound's, of a page that heard it as it was spoken.
    part_seconds: where each part that the engine began begins in the sound (speech/in_turn.py).
    words: when each is heard; None where nobody has told yet, as of earlier versions, and of a sound that was put together again.
    source_seconds: of the recorded speech that was said again, of which `text` knows no word and nothing is kept; None of a spoken text.
    """

    id: str
    at: float
    text: str
    speaker: str | None
    generation_id: str | None
    engine: str
    options: dict[str, object]
    ended: str
    seconds: float
    sample_rate: int
    ttfp_seconds: float | None = None
    cache: str | None = None
    starred: bool = False
    warning: str = ""
    workspace: str = EVERYBODY
    source_seconds: float | None = None
    start: Start | None = None
    heard_seconds: float | None = None
    part_seconds: Sequence[float] = ()
    words: tuple[TimedWord, ...] | None = None
    n_bytes: int = field(default=0, compare=False)  # of its files of sound

    @property
    def first_sound(self) -> TimeToFirstSound | None:
        return None if self.ttfp_seconds is None else TimeToFirstSound(self.ttfp_seconds, self.heard_seconds)

    @classmethod
    def begun(
        cls, request: SpeakerRequest, engine: EngineInfo, source: PromptSource, options: dict[str, object], workspace: str = EVERYBODY
    ) -> "HistoryEntry":
        """What is known of a speech when it begins. workspace: who asked for it."""
        return cls(
            id=secrets.token_hex(16),  # becomes a file name and part of an address that cannot be guessed
            at=time.time(),
            text=request.written,
            speaker=source.speaker,
            generation_id=source.owner.id if source.owner is not None else None,
            engine=engine.id,
            options=options,
            ended=ENDED.reason,
            seconds=0.0,
            sample_rate=request.sample_rate or engine.sample_rate,
            workspace=workspace,
            source_seconds=request.source_seconds,
        )


def read_entry(path: Path) -> HistoryEntry | None:
    """The entry in a file; None for one that is damaged or from another version."""
    try:
        facts = read_json(path.read_bytes())
        facts["ended"] = _REASONS_OF_0_3.get(facts["ended"], facts["ended"])
        facts["part_seconds"] = tuple(facts.get("part_seconds", ()))
        words = facts.get("words")
        facts["words"] = None if words is None else tuple(TimedWord(**word) for word in words)
        entry = HistoryEntry(**facts)
        known = isinstance(entry.text, str) and isinstance(entry.options, dict) and isinstance(entry.at, int | float)
        return entry if known and entry.id == path.stem and _ID.fullmatch(entry.id) else None
    except (OSError, LookupError, ValueError, TypeError):
        return None
