"""Aliases: which voice programs hear that say a name of their own, shown and set below the library."""

import gradio as gr

from studio.errors import NameTaken
from studio.service import Studio
from studio.speakers.speaker import preset_of, speaker_key
from studio.speakers.speaker_aliases import NAMES_OF_PROGRAMS
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import named
from studio.ui.gradio.messages import answered
from studio.workspace import EVERYBODY

__all__ = ["build_aliases", "keep_alias", "list_aliases", "remove_alias"]

Value = dict[str, object]


def build_aliases(studio: Studio) -> gr.HTML:
    """Called inside of the tab. It asks for itself, once it is unfolded."""
    return gr.HTML(
        None,
        elem_id="aliases",
        html_template=web.markup("voices/aliases"),
        js_on_load=web.mount("aliases", calls=True),
        apply_default_css=False,
        server_functions=[named(handler, studio) for handler in (list_aliases, keep_alias, remove_alias)],
    )


@answered
def list_aliases(studio: Studio, asked: Value) -> Value:
    """What assets/web/voices/aliases.js draws: {aliases, names, voices, can_change}.

    aliases: {name, voice, own, missing} of each; missing: whether no engine has such a voice. names: that programs say without being told,
    and that stand for nothing yet. voices: that a name may stand for. can_change: whether they are the visitor's to change.
    """
    stored = {speaker_key(speaker.name): speaker.name for speaker in studio.speakers()}
    infos = [status.info for status in studio.engines()]
    aliases = studio.aliases.all()
    can_change = studio.is_owner or studio.workspace != EVERYBODY
    taken = {speaker_key(alias.name) for alias in aliases} | set(stored)
    told = [
        {
            "name": alias.name,
            "voice": alias.speaker,
            "own": alias.is_own and can_change,
            "missing": speaker_key(alias.speaker) not in stored and not any(preset_of(alias.speaker, info) for info in infos),
        }
        for alias in aliases
    ]
    voices = [*stored.values(), *(preset for preset in studio.engine_info().presets if speaker_key(preset) not in stored)]
    return {"aliases": told, "names": [name for name in NAMES_OF_PROGRAMS if name not in taken], "voices": voices, "can_change": can_change}


@answered
def keep_alias(studio: Studio, asked: Value) -> Value:
    """asked: {name, voice}. Answers {name}, as it is kept. Raises NameTaken for what a voice is called, SpeakerUnknown."""
    studio.check_owner(studio.workspace)
    name, voice = str(asked["name"]), str(asked["voice"])
    if (speaker := studio.workspace_speakers.find(speaker_key(name))) is not None:
        raise NameTaken(speaker.name)
    if not any(preset_of(voice, status.info) for status in studio.engines()):
        voice = studio.speaker(voice).name
    return {"name": studio.aliases.put(name, voice).name}


@answered
def remove_alias(studio: Studio, asked: Value) -> Value:
    """asked: {name}, of one that the visitor has set."""
    studio.check_owner(studio.workspace)
    studio.aliases.remove(str(asked["name"]))
    return {}
