"""Describe a voice: the other way of Create voice, where an engine designs voices or blends its built-in ones.

Candidates are heard as any speech (assets/web/design/). The one that is kept is said again by the same request, and is a voice from then
on.
"""

from engines.contract.contract import EngineInfo
from studio.service import Studio
from studio.speaker_design import MOST_SCRIPT_CHARACTERS, SpeakerDesign, recording_of_design
from studio.speakers.metadata import MOST_NAME_BYTES
from studio.speakers.voiceprint import print_digest
from studio.ui.clips.reading_texts import texts_by_language
from studio.ui.engines.engine_state import is_lacking
from studio.ui.gradio.asked import whole_in
from studio.ui.gradio.messages import answered

__all__ = ["design_engines", "keep_design"]

Value = dict[str, object]
MOST_SEED = 2**31 - 1  # of seeds that are drawn here, which every engine takes and a script holds exactly


@answered
def design_engines(studio: Studio, asked: object = None) -> Value:
    """{engines, could, limits, texts}: the engines that are here and make voices, the default one first; those that could, and are not
    here, {title, is_here}; texts to say, by language, long enough to learn from.

    Of an engine {id, title, blends, presets, instructions, most_seed, languages}; what it computes elsewhere may sound otherwise the second
    time, so that what is heard could not be kept: such an engine is none of these.
    """
    can = [status for status in studio.engines() if _makes(status.info)]
    here = [status.info for status in can if not status.is_out_of_order and not is_lacking(status, studio.weights.status(status.info.id))]
    here.sort(key=lambda info: info.id != studio.default.id)
    named = {info.id for info in here}
    return {
        "engines": [_engine(info) for info in here],
        "could": [{"title": status.info.title, "is_here": False} for status in can if status.info.id not in named],
        "limits": {"script_characters": MOST_SCRIPT_CHARACTERS, "name_bytes": MOST_NAME_BYTES},
        "texts": {code: lines[1] for code, lines in texts_by_language().items()},
    }


@answered
def keep_design(studio: Studio, asked: Value) -> Value:
    """Make a voice of what was heard. Gives {voice, generation, print}, as create_voice does.

    asked: {name, engine, text, language, replace, and description or blend, seed}.
    """
    texts = {name: str(asked.get(name) or "").strip() for name in ("name", "description", "blend", "engine", "language")}
    seed = None if asked.get("seed") is None else whole_in(asked, "seed")
    design = SpeakerDesign(**texts, script=str(asked.get("text") or "").strip(), seed=seed)
    speaker = studio.library.create(recording_of_design(studio, design), replace=asked.get("replace") is True)
    return {"voice": speaker.name, "generation": speaker.generation_id, "print": print_digest(speaker)}


def _makes(info: EngineInfo) -> bool:
    return info.blends_presets or (info.designed_preset is not None and info.is_deterministic)


def _engine(info: EngineInfo) -> Value:
    """instructions: how a voice is described to it, {most_characters, suggestions}; None of one that blends. presets: of one that does,
    [{name, language, sex}]."""
    option = next((option for option in info.options if option.name == "instructions"), None)
    instructions = None
    if info.designed_preset is not None and option is not None and option.maximum is not None:
        instructions = {"most_characters": int(option.maximum), "suggestions": option.suggestions}
    seed = next((option for option in info.options if option.name == "seed"), None)
    presets = [preset for preset in info.presets if preset != info.designed_preset]
    return {
        "id": info.id,
        "title": info.title,
        "sample_rate": info.sample_rate,
        "designed": info.designed_preset if instructions else None,
        "instructions": instructions,
        "presets": [_preset(name, info) for name in presets] if info.blends_presets else [],
        "most_seed": min(MOST_SEED, int(seed.maximum or MOST_SEED)) if seed else None,
        "languages": list(info.languages),
    }


def _preset(name: str, info: EngineInfo) -> Value:
    return {"name": name, "language": info.preset_languages.get(name, ""), "sex": info.preset_sexes.get(name, "")}
