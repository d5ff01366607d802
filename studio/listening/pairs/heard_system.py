"""HeardSystem: who says a text in a blind pair: an engine and the settings that differ from its own. It knows no text and no person."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from engines.contract.contract import EngineInfo
from studio.audio.time_stretch import with_speed
from studio.speakers.speaker import speaker_key
from studio.speech.request import DEFAULT_SPEAKER

__all__ = ["HeardSystem"]

OF_A_TAKE = ("seed", "language")  # options that say which take it is, and of what
WRITTEN = ("text", "secret")  # kinds of options that people write themselves
Setting = bool | int | float | str
SETTINGS = (bool, int, float, str)
MOST_SETTINGS = 64


@dataclass(frozen=True)
class HeardSystem:
    """engine: its id. preset: the engine's own speaker, "" of a stored voice: both sounds of a pair have the same.

    settings: (name, value) by name. Of what somebody wrote, such as instructions, True alone is kept.
    """

    engine: str
    preset: str = ""
    settings: tuple[tuple[str, Setting], ...] = ()

    @classmethod
    def of(cls, info: EngineInfo, options: Mapping[str, object], *, speaker: str | None, is_stored: bool) -> Self:
        """speaker: who spoke, None for the engine's own default. options: as asked or as resolved, which makes no difference."""
        own = info.default_preset or "" if speaker is None or speaker_key(speaker) == DEFAULT_SPEAKER else speaker
        settings = []
        for option in with_speed(info.options):
            value = options.get(option.name)
            if option.name in OF_A_TAKE or value is None or value == option.default:
                continue
            settings.append((option.name, True if option.kind in WRITTEN else value))
        return cls(info.id, "" if is_stored else own, tuple(sorted(settings)))

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        """What `plain` gave. Raises ValueError, KeyError, TypeError, AttributeError."""
        settings = tuple(sorted(plain["settings"].items()))
        is_sound = all(isinstance(value, SETTINGS) for _, value in settings) and len(settings) <= MOST_SETTINGS
        if not is_sound or not isinstance(plain["engine"], str) or not isinstance(plain["preset"], str):
            raise ValueError("no system")
        return cls(plain["engine"], plain["preset"], settings)

    def plain(self) -> dict[str, object]:
        """As JSON has it."""
        return {"engine": self.engine, "preset": self.preset, "settings": dict(self.settings)}
