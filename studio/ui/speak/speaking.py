"""Speak: choose a voice and an engine, type or record, hear. Speech goes from the API to the player, not through Gradio.

What is recorded to be said again comes as a draft, as in Create voice, and its speech by the relay.
Choices are what there is to choose from and what is known about the choice: voices, engines, languages and options, as values of the
composer. Takes: the last that was spoken, beside the composer. studio/ui/speak/history.py says what there is; what is spoken now the
script knows.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace

import gradio as gr

from engines.contract.contract import EngineInfo
from engines.contract.preset_blend import ADDS, PresetBlend, blend_text
from engines.errors import BlendInvalid
from studio.audio.time_stretch import with_speed
from studio.errors.clean import sendable
from studio.prompts.status import PromptState
from studio.reading.language import languages_of, names_for_reader
from studio.running.lifecycle import EngineStatus
from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.speakers.enrollment import LEAST_CLIP_SECONDS
from studio.speakers.speaker import Speaker, preset_of, speaker_key
from studio.speakers.voiceprint import print_digest
from studio.ui.clips.clip_intake import clip_limits, drop_clip, find_clip, region_sound, take_clip
from studio.ui.engines.engine_state import FETCHABLE, fetch_trouble, is_lacking, learning_words, refusal_words, remote_value, terms_value
from studio.ui.engines.natural_default import natural_value
from studio.ui.gradio import web
from studio.ui.gradio.asked import text_in
from studio.ui.gradio.current_visit import LIGHT, draft_owner, named
from studio.ui.gradio.message_line import message_line
from studio.ui.gradio.messages import answered, problem_of
from studio.ui.gradio.news import News, VerifiedDigests
from studio.ui.gradio.words import visited_sentences
from studio.ui.speak.deletions import delete_takes, restore_takes
from studio.ui.speak.dictionary import delete_word, export_words, heard_word, import_words, keep_word, list_words
from studio.ui.speak.segments import preview_text

__all__ = [
    "SpeakFields",
    "build_speak_fields",
    "build_takes",
    "choice_value",
    "chosen_engine",
    "chosen_voice",
    "fetch_weights",
    "fill",
    "first_voice",
    "name_languages",
    "note_first_sound",
    "show_choice",
    "stored_speaker",
    "voice_names",
    "wire_speak",
]

Value = dict[str, object]


@dataclass(frozen=True)
class SpeakFields:
    """The section's components, for the page to wire. composer: its value is what `fill` gives; all else its script asks by itself.

    show_choice: what it asks about voices and engines.
    """

    composer: gr.HTML
    message: gr.HTML
    takes: gr.HTML
    show_choice: Callable[[Value], Value]


def build_speak_fields(studio: Studio, drafts: ClipDrafts) -> SpeakFields:
    """The section's components in their order on the page; called inside of the tab."""
    show_this_choice = named(show_choice, studio, VerifiedDigests())
    asked_of_drafts = [named(one, drafts) for one in (take_clip, find_clip, region_sound, drop_clip)]
    of_words = (list_words, heard_word, keep_word, delete_word, import_words, export_words)
    asked = [show_this_choice, *(named(one, studio) for one in (preview_text, fetch_weights, name_languages, *of_words))]
    with gr.Row(elem_classes="speak"):
        with gr.Column(elem_classes="speak-main"):
            composer = gr.HTML(
                None,
                elem_id="composer",
                html_template=web.markup("speak/composer"),
                js_on_load=web.mount("composer", calls=True),
                apply_default_css=False,
                server_functions=asked + asked_of_drafts,
            )
            message = message_line("speak-message")
            gr.HTML(
                None, elem_id="result", html_template=web.markup("speak/result"), js_on_load=web.mount("result"), apply_default_css=False
            )
        takes = build_takes(studio)
    return SpeakFields(composer, message, takes, show_this_choice)


def wire_speak(fields: SpeakFields, tab: gr.Tab, news: News) -> None:
    """news: tells the composer what changed elsewhere. tab: shown again, it takes what it was filled with meanwhile."""
    news.tell("choice", fields.show_choice)
    tab.select(None, fields.composer, None, js="(filled) => studio.composer?.take(filled)", **LIGHT)


def fill(voice: str, **more: object) -> Value:
    """A value for the composer: what it is to hold from now on. A handler gives it together with the tabs, turned to Speak.

    more: engine, text, options, language; what is left out stays as it is, but options and language go to their defaults where either is
    given. speak: press Speak, too. The sound must have been unlocked inside of the click (`player.unlock()`).
    """
    return {"fill": {"voice": voice} | more, "at": time.time_ns()}


@answered
def fetch_weights(studio: Studio, asked: Value) -> Value:
    """Begin to get an engine's weights. asked: {engine}. The owner's alone."""
    studio.check_owner()
    studio.weights.begin(str(asked["engine"]))
    return {}


# --- choices


# What a chip says of a voice, by how its prompt for the chosen engine stands; "" where only the engine is to blame.
VOICE_STATES: Mapping[PromptState, str] = {
    "none": "none",
    "queued": "learning",
    "extracting": "learning",
    "memory": "memory",
    "refining": "refining",
    "disk": "disk",
    "stale": "stale",
    "failed": "failed",
    "unsupported": "unsupported",
    "unavailable": "",
}


@answered
def show_choice(studio: Studio, checked: VerifiedDigests, asked: Value) -> Value:
    """What the composer shows, {seen} alone where that is shown already: `choice_value`, and which value it is.

    asked: {voice, engine, gone, seen}, as they are on the page. Without `seen`: of somebody who comes, with what this browser's draft says
    of voice and engine, and whose draft that is (owner). A voice that cannot be chosen is named, and none is chosen in its place.
    """
    voice, engine = text_in(asked, "voice"), text_in(asked, "engine")
    seen, comes = str(asked.get("seen", "")), "seen" not in asked
    if comes and asked.get("owner") != draft_owner():
        voice = engine = None
    engine = chosen_engine(studio, engine)
    if comes and not voice:
        voice = first_voice(studio, engine)
    known = chosen_voice(studio, voice, engine)
    gone = "" if known else sendable(str(voice or asked.get("gone") or ""))
    version = _version(studio, known, engine, gone)  # before the look, so that a change between the two is looked at again
    if checked.is_true(seen, version):
        return {"seen": seen}
    value = choice_value(studio, known, engine, gone) | {"owner": draft_owner()}
    now = checked.note(version, value)
    return {"seen": now} if now == seen else value | {"seen": now}


@answered
def name_languages(studio: Studio, asked: Value) -> Value:
    """{names, english}: code -> name in the reader's language, of what browsers may not know the name of; the English one where that is
    another. asked: {}."""
    own = languages_of(status.info for status in studio.engines())
    names, english = names_for_reader(visited_sentences().language, own), names_for_reader("en", own)
    return {"names": names, "english": {code: name for code, name in english.items() if name != names[code]}}


def voice_names(studio: Studio, engine: str) -> list[str]:
    """Stored voices, newest first, then the engine's built-in ones."""
    speakers = _newest_first(studio)
    return [*(speaker.name for speaker in speakers), *_presets(studio.engine_info(engine), speakers)]


def chosen_engine(studio: Studio, engine: str | None) -> str:
    """The engine asked for where it is on offer, else the default one."""
    return engine if engine in [status.info.id for status in studio.engines()] else studio.default.id


def chosen_voice(studio: Studio, voice: str | None, engine: str) -> str | None:
    """The voice asked for where it can be chosen, of a blend its text; else none: nobody shall be heard in a voice that nobody chose."""
    return voice if voice in voice_names(studio, engine) else blend_text(voice or "", studio.engine_info(engine))


def first_voice(studio: Studio, engine: str) -> str | None:
    """What is chosen for somebody who comes anew: the newest stored voice that its name tells, else the engine's default one, or none.

    Not one that somebody has to describe first.
    """
    speakers, info = _newest_first(studio), studio.engine_info(engine)
    told = [speaker.name for speaker in speakers if studio.shadow_of(speaker) is None]
    ready = [preset for preset in _presets(info, speakers) if preset != info.designed_preset]
    presets = sorted(ready, key=lambda preset: preset != info.default_preset)
    return next(iter([*told, *presets]), None)


def stored_speaker(studio: Studio, voice: str | None) -> Speaker | None:
    return next((speaker for speaker in studio.speakers() if speaker.name == voice), None)


def choice_value(studio: Studio, voice: str | None, engine: str, gone: str = "") -> Value:
    """What the scripts know about the choice (assets/web/choice/choice.js).

    designed: the built-in voice that the option `instructions` describes, None without one.
    blends: whether a voice may be a blend of built-in ones. phone_languages: in which the engine says sounds of words, [] for
    all, None where it takes none.
    gone: the voice that was chosen and cannot be chosen any more, while none is chosen in its place; gone_why: which sentence says so.
    limits: of what is recorded to be said again. natural: see natural.py.
    repeats: of an option, false where the same seed may be another take.
    """
    info, settings = studio.engine_info(engine), studio.settings
    unlike = {} if info.is_deterministic else {"repeats": False}
    return {
        "voice": voice,
        "engine": info.id,
        "title": info.title,
        "most_text_characters": settings.most_text_characters,
        "needs_key": bool(settings.api_keys),
        "sample_rate": info.sample_rate,
        "languages": list(info.languages),
        "misread": {limit.code: limit.misread for limit in info.language_limits},
        "options": [asdict(option) | unlike for option in with_speed(info.options) if option.name != "language"],
        "gone": gone,
        "gone_why": _gone_why(studio, gone, engine) if gone else None,
        "designed": info.designed_preset,
        "blends": info.blends_presets,
        "phone_languages": list(info.phone_languages) if info.phones else None,
        "natural": natural_value(studio),
        "limits": clip_limits() | {"least_said_seconds": LEAST_CLIP_SECONDS},
        "voices": _voices(studio, info, voice),
        "engines": [_engine(studio, status) for status in studio.engines()],
    }


def _newest_first(studio: Studio) -> list[Speaker]:
    return sorted(studio.speakers(), key=lambda speaker: speaker.created_at, reverse=True)


def _presets(info: EngineInfo, speakers: Iterable[Speaker]) -> list[str]:
    """The engine's built-in voices but those that a stored one is called like: nobody is spoken with by such a name."""
    stored = {speaker_key(speaker.name) for speaker in speakers}
    return [preset for preset in info.presets if speaker_key(preset) not in stored]


def _voices(studio: Studio, info: EngineInfo, chosen: str | None) -> list[Value]:
    """state: of `VOICE_STATES`, how the voice stands with this engine. learning: how alike it is by now, "" where nothing is told of that.
    own: whether it is the visitor's. language: of its words, of a built-in one that which it belongs to; or "". sex: of a built-in one; or
    "". A blend is there while it is chosen."""
    speakers = _newest_first(studio)
    stored = []
    for speaker, statuses in zip(speakers, studio.matrix.statuses(speakers), strict=True):
        status = next(status for status in statuses if status.engine == info.id)
        words = speaker.transcript
        known = {"is_stored": True, "own": studio.workspace_speakers.owns(speaker), "language": (words and words.language) or ""}
        state = VOICE_STATES["unsupported" if studio.shadow_of(speaker) else status.state]
        known |= {"learning": learning_words(status)}
        stored.append({"id": speaker.generation_id, "name": speaker.name, "print": print_digest(speaker), "state": state} | known)
    names = [speaker.name for speaker in speakers]
    presets = _presets(info, speakers)
    blends = [chosen] if chosen and chosen not in (*names, *presets) else []
    return stored + [_built_in(preset, info) for preset in (*blends, *presets)]


def _built_in(preset: str, info: EngineInfo) -> Value:
    of_its_own = {"language": info.preset_languages.get(preset, ""), "sex": info.preset_sexes.get(preset, "")}
    print_of = {"print": print_digest(None, engine=info.id, preset=preset)}
    return {"name": preset, "state": "", "is_stored": False, "own": False, "learning": "", **print_of, **of_its_own}


def _engine(studio: Studio, status: EngineStatus) -> Value:
    """state: that of the engine, or `fetching` or `absent` while it lacks its weights. is_here: whether nobody has to get it first.
    percent: of the weights that have come.

    is_fetchable: whether the visitor may have them got, can_get: by a press here. What a license forbids is accepted in Cache & models.
    trouble: why its weights did not come, where they were asked for.
    converts: whether it says a recording again, one of most_clip_seconds. edits: how it changes what is said in one, see EditKind.
    elsewhere: see standing.py.
    """
    info, weights = status.info, studio.weights.status(status.info.id)
    lacking = is_lacking(status, weights)
    can_be_got = weights.state in FETCHABLE
    is_fetchable = can_be_got and studio.is_owner
    state, (fact, hint), elsewhere = status.state, refusal_words(status), remote_value(studio, status)
    if lacking and (weights.state == "fetching" or can_be_got or status.command):
        state = "fetching" if weights.state == "fetching" else "absent"
    return {
        "id": info.id,
        "title": info.title,
        "state": state,
        "is_here": not lacking,
        "percent": 100 * weights.done_bytes // weights.all_bytes if weights.state == "fetching" and weights.all_bytes else None,
        "terms": terms_value(info),
        "sample_rate": info.sample_rate,
        "n_languages": len(info.languages),
        "bytes": weights.all_bytes or info.weights_bytes,
        "is_slow": info.wants_gpu and status.device == "cpu",
        "wants_gpu": info.wants_gpu,
        "converts": info.converts,
        "edits": [asdict(kind) for kind in info.edits],
        "elsewhere": elsewhere,
        "most_clip_seconds": info.most_clip_seconds,
        "can_get": is_fetchable and studio.licenses.holds(info),
        "is_fetchable": is_fetchable,
        "trouble": fetch_trouble(weights),
        "command": status.command if studio.is_owner else "",
        "reason": fact if state in ("failed", "unavailable") else "",
        "hint": hint if state in ("failed", "unavailable") else "",
    }


def _gone_why(studio: Studio, gone: str, engine: str) -> Value:
    """{why, voice, engine, engines}: a key of the sentence, and what is in it. Of what is no blend: {why, voice, fact, hint}."""
    if chosen_voice(studio, gone, engine):
        return {"why": "there_again", "voice": gone}
    if any(speaker_key(speaker.name) == speaker_key(gone) and studio.shadow_of(speaker) for speaker in studio.speakers()):
        return {"why": "shadowed", "voice": gone}
    owners = [status.info.title for status in studio.engines() if preset_of(gone, status.info) is not None]
    if owners:
        return {"why": "built_in", "voice": gone, "engines": owners, "engine": studio.engine_info(engine).title}
    if ADDS in gone and (info := studio.engine_info(engine)).blends_presets:
        try:
            PresetBlend.of(gone, info)
        except BlendInvalid as error:
            told = problem_of(error)
            return {"why": "blend", "voice": gone, "fact": told["fact"], "hint": told["hint"]}
    return {"why": "deleted", "voice": gone}


def _version(studio: Studio, *chosen: object) -> str:
    """Of all that may be shown with that choice. It moves by what other visitors do, too, so it is not for them to see."""
    idle = [replace(status, streaming=0, waiting=0, unloads_in_seconds=None) for status in studio.engines()]  # which is not shown here
    engines = [(status, studio.weights.status(status.info.id)) for status in idle]
    generations = [speaker.generation_id for speaker in studio.speakers()]
    return repr((studio.matrix.version(), generations, engines, studio.default.id, studio.default.better, chosen))


# --- the place of the takes


def build_takes(studio: Studio) -> gr.HTML:
    """The element beside the composer in which the script draws what was spoken last."""
    return gr.HTML(
        None,
        elem_id="takes",
        html_template=web.markup("speak/takes"),
        js_on_load=web.mount("takes", "act", "again", "look", calls=True),
        apply_default_css=False,
        server_functions=[named(handler, studio) for handler in (note_first_sound, delete_takes, restore_takes)],
    )


@answered
def note_first_sound(studio: Studio, asked: dict[str, object]) -> dict[str, object]:
    """{is_kept}: whether the take has a time to first sound by now. asked: {entry, seconds}, from the press to the first sample."""
    seconds = asked["seconds"]
    if not isinstance(seconds, int | float):
        return {"is_kept": False}
    entry = studio.history.note_heard(str(asked["entry"]), float(seconds))
    if entry.heard_seconds is None:
        return {"is_kept": False}
    if entry.generation_id is not None and entry.first_sound is not None:
        studio.prompts.record_heard(entry.generation_id, entry.engine, entry.start, entry.first_sound)
    return {"is_kept": True}
