"""What there is to choose from and what is known about the choice: voices, engines, options and the cache, as values of the page."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from studio.audio.time_stretch import with_speed
from studio.running.lifecycle import EngineState, EngineStatus
from studio.service import Studio
from studio.speakers.speaker import Speaker
from studio.speakers.voiceprint import print_digest
from studio.ui.lacking import is_lacking, trouble_of, way_out

__all__ = [
    "STATE_WORDS",
    "StateWords",
    "cache_line",
    "choice_facts",
    "choice_value",
    "chosen_engine",
    "chosen_voice",
    "engine_choices",
    "first_voice",
    "is_own",
    "stored_speaker",
    "voice_choices",
    "voice_prints",
]


@dataclass(frozen=True)
class StateWords:
    """How an engine is. line: within a sentence about the choice. card: on its card."""

    line: str
    card: str


STATE_WORDS: Mapping[EngineState, StateWords] = {
    "idle": StateWords("idle, loads at the first run", "not loaded"),
    "loading": StateWords("loading", "loading"),
    "ready": StateWords("ready", "ready"),
    "unloading": StateWords("unloading", "unloading"),
    "failed": StateWords("failed", "failed"),
    "unavailable": StateWords("unavailable", "unavailable"),
    "closed": StateWords("closed", "closed"),
}
PLACE_WORDS = {
    "processing": "being extracted now, so the next run waits for the rest of it",
    "memory": "cached in memory, so the next run is warm",
    "disk": "stored on disk, so the next run only reads it",
}
MEBIBYTE = 1024 * 1024

Choices = list[tuple[str, str]]


def voice_choices(studio: Studio, engine: str) -> Choices:
    """(label, name): stored voices, newest first, then the engine's built-in ones."""
    stored = sorted(studio.speakers(), key=lambda speaker: speaker.created_at, reverse=True)
    presets = studio.engine_info(engine).presets
    return [(speaker.name, speaker.name) for speaker in stored] + [(f"{preset} (built in)", preset) for preset in presets]


def voice_prints(studio: Studio, engine: str) -> dict[str, str]:
    """The digest of each voice's print by its name, of those that `voice_choices` lists."""
    built_in = {preset: print_digest(None, engine=engine, preset=preset) for preset in studio.engine_info(engine).presets}
    return built_in | {speaker.name: print_digest(speaker) for speaker in studio.speakers()}


def engine_choices(studio: Studio) -> Choices:
    """(label with its state, id)."""
    return [(f"{status.info.title} ({_option_words(studio, status)})", status.info.id) for status in studio.engines()]


def chosen_engine(studio: Studio, engine: str | None) -> str:
    """The engine asked for where it is on offer, else the default one."""
    return engine if engine in [status.info.id for status in studio.engines()] else studio.settings.default_engine


def chosen_voice(studio: Studio, voice: str | None, engine: str) -> str | None:
    """The voice asked for where it can be chosen; else none: nobody shall be heard in a voice that nobody chose."""
    return voice if voice in [name for _, name in voice_choices(studio, engine)] else None


def first_voice(studio: Studio, engine: str) -> str | None:
    """What stands in the list for somebody who comes anew: the newest stored voice, else the engine's default one, or none."""
    names = [name for _, name in voice_choices(studio, engine)]
    return names[0] if studio.speakers() else studio.engine_info(engine).default_preset or (names[0] if names else None)


def stored_speaker(studio: Studio, voice: str | None) -> Speaker | None:
    return next((speaker for speaker in studio.speakers() if speaker.name == voice), None)


def is_own(studio: Studio, voice: str | None) -> bool:
    """Whether the visitor may change and delete that voice."""
    speaker = stored_speaker(studio, voice)
    return speaker is not None and studio.shelf.owns(speaker)


def choice_value(studio: Studio, voice: str | None, engine: str, gone: str = "") -> dict[str, object]:
    """What the scripts know about the choice (assets/web/options.js). The language has its own field. gone: as in `choice_facts`."""
    info = studio.engine_info(engine)
    speaker = stored_speaker(studio, voice)
    settings = studio.settings
    return {
        "voice": voice,
        "print": voice_prints(studio, engine).get(voice or "", ""),
        "engine": info.id,
        "shown": {"voice": _label(voice_choices(studio, engine), voice), "engine": _label(engine_choices(studio), engine)},
        "title": info.title,
        "state": next(status.state for status in studio.engines() if status.info.id == engine),
        "place": studio.prompts.places(speaker).get(engine) if speaker is not None else None,
        "most_text_characters": settings.most_text_characters,
        "needs_key": bool(settings.api_keys),
        "sample_rate": info.sample_rate,
        "languages": list(info.languages),
        "misread": {limit.code: f"{limit.misread} misread" for limit in info.language_limits},
        "options": [asdict(option) for option in with_speed(info.options) if option.name != "language"],
        "voice_is_stored": speaker is not None,
        "voice_is_own": speaker is not None and studio.shelf.owns(speaker),
        "gone": gone,
        "gone_words": _gone_line(studio, gone, engine) if gone else "",
        "voices": [name for name, _ in voice_choices(studio, engine)],
        "prints": voice_prints(studio, engine),
        "engines": engine_choices(studio),
    }


def choice_facts(studio: Studio, voice: str | None, engine: str, gone: str = "") -> dict[str, str]:
    """Two lines: what the engine is and how it is, and where the voice's prompt for it is.

    gone: the voice that was chosen and cannot be chosen any more, while none is chosen in its place.
    """
    status = next(status for status in studio.engines() if status.info.id == engine)
    prompt = _gone_line(studio, gone, engine) if gone else _prompt_line(studio, voice, status)
    return {"state": status.state, "engine": _engine_line(studio, status), "prompt": prompt, "gone": gone}


def cache_line(studio: Studio) -> str:
    stats = studio.stats()
    used, limit = stats.memory_bytes / MEBIBYTE, stats.max_bytes / MEBIBYTE
    counts = f"hits {stats.hits}, misses {stats.misses}, joined {stats.joined}, from disk {stats.disk_hits}"
    return f"Speaker cache: entries {stats.entries}, {used:.2f} of {limit:.0f} MB · {counts}"


def _label(listed: Choices, chosen: str | None) -> str:
    """What the list shows for a choice."""
    return next((label for label, value in listed if value == chosen), "")


def _option_words(studio: Studio, status: EngineStatus) -> str:
    """Short, for an option of a list."""
    weights = studio.weights.status(status.info.id)
    if weights.state == "fetching":
        return "downloading"
    if is_lacking(status, weights) and (status.command or weights.state != "included"):
        return "not downloaded"
    return status.state


def _engine_line(studio: Studio, status: EngineStatus) -> str:
    info, way = status.info, way_out(studio, status)
    fact, hint = trouble_of(status)
    if fact or way:
        state = f"{info.title} is {status.state}: {fact}" if fact else f"{info.title} has no weights here."
        return f"{state} {way or hint}".strip()
    where = f" on {status.device}" if status.device else ""
    kind = f"{info.sample_rate / 1000:g} kHz, {info.streams} by {info.streams}, weights {info.licence}"
    return f"{info.title} is {STATE_WORDS[status.state].line}{where}. {kind}."


def _gone_line(studio: Studio, gone: str, engine: str) -> str:
    if chosen_voice(studio, gone, engine):
        return f"“{gone}” is there again. Choose it, or another voice."
    owners = [status.info.title for status in studio.engines() if gone in status.info.presets]
    if owners:
        return f"“{gone}” is built into {' and '.join(owners)}; {studio.engine_info(engine).title} does not have it. Choose a voice."
    return f"“{gone}” is gone: it was deleted or has another name now. Choose a voice."


def _prompt_line(studio: Studio, voice: str | None, status: EngineStatus) -> str:
    info = status.info
    speaker = stored_speaker(studio, voice)
    if speaker is None:
        none = "No voice is chosen." if voice_choices(studio, info.id) else "No voice yet: create one on this page."
        return f"{voice} is built into {info.title}." if voice else none
    place = studio.prompts.places(speaker).get(info.id)
    if way_out(studio, status):
        kept = "what was learned is kept, but nothing can speak with it now" if place else "not extracted, and not now"
        return f"{speaker.name} for {info.title}: {kept}."
    return f"{speaker.name} for {info.title}: {PLACE_WORDS[place] if place else 'not extracted yet, so the next run is cold'}."
