"""Voice of a request: its recording, its embedding, a stored speaker, or a built-in voice of the engine. Also the prompt of that voice.

A name is folded once (speaker_key), and its key compared from there on.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from engines.contract.contract import Engine, EngineInfo
from engines.contract.preset_blend import ADDS, PresetBlend
from engines.errors import PresetUnknown
from studio.errors import ClipMissing, SpeakerRequired, SpeakerShadowed, SpeakersUnreachable
from studio.prompts.cache import CacheResult
from studio.prompts.source import PromptSource, from_clip, from_embedding, from_preset, from_speaker
from studio.prompts.status import incompatibility_of, prompt_untaken
from studio.prompts.supply import PromptSupply
from studio.speakers.speaker import Speaker, preset_of, speaker_key
from studio.speakers.speaker_aliases import SpeakerAliases
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.speech.body import Inline, SpeechFields
from studio.speech.request import DEFAULT_SPEAKER, SpeakerRequest, named_speaker
from studio.timeline import Timeline
from studio.workspace import NOBODY

__all__ = ["Fields", "as_meant", "can_learn", "has_speaker", "resolve_prompt", "shadow_of", "source_of"]

Fields = TypeVar("Fields", bound=SpeechFields)


def resolve_prompt(
    request: SpeakerRequest,
    opened: Engine,
    timeline: Timeline,
    *,
    workspace_speakers: WorkspaceSpeakers,
    engines: Mapping[str, EngineInfo],
    supply: PromptSupply,
) -> tuple[PromptSource, CacheResult]:
    """What `source_of` finds, and its prompt for the opened engine. A speaker who is replaced before the recording is read is the new one.

    Raises what `source_of` and extraction do, WordsMissing, ClipMissing.
    """
    source = source_of(request, opened.info, workspace_speakers, engines)
    while True:
        try:
            source = supply.words.added_to(source, opened.info)
            source.check_words(opened.info)
            timeline.mark("resolved")
            return source, supply.get(source.key(opened), source, timeline, asker=workspace_speakers.workspace)
        except ClipMissing:
            before, source = source, source_of(request, opened.info, workspace_speakers, engines)
            if source.owner == before.owner:
                raise


def source_of(
    request: SpeakerRequest, info: EngineInfo, workspace_speakers: WorkspaceSpeakers, engines: Mapping[str, EngineInfo]
) -> PromptSource:
    """Inline audio beats a name; a name is a preset or a blend of some, or a stored speaker, never both; no name is the default preset.

    workspace_speakers: of whoever asks. engines: all of them, by id. Raises SpeakerUnknown, PresetUnknown, BlendInvalid,
    SpeakerRequired, SpeakerShadowed, SpeakersUnreachable, PromptUntaken.
    """
    if request.clip is not None:
        return from_clip(request.clip, request.transcript, _scope_of(workspace_speakers))
    if request.embedding is not None:
        return from_embedding(request.embedding, _scope_of(workspace_speakers))
    key = None if request.speaker is None else speaker_key(request.speaker)
    if key is not None and key != DEFAULT_SPEAKER:
        return _named(key, request, info, workspace_speakers, engines)
    if info.default_preset is None:
        raise SpeakerRequired(info.title)
    return from_preset(info.default_preset)


def as_meant(fields: Fields, aliases: SpeakerAliases, info: Callable[[], EngineInfo], workspace_speakers: WorkspaceSpeakers) -> Fields:
    """The fields with the speaker that the name stands for, where it is an alias. What a real speaker is called, it is first of all.

    info(): of the engine that is asked for. Raises what it does, SpeakersUnreachable, OSError.
    """
    name = named_speaker(fields)
    if name is None or fields.alias or fields.inline is not None or preset_of(name, info()) is not None:
        return fields
    alias = aliases.get(name)
    return fields if alias is None or workspace_speakers.find(speaker_key(name)) is not None else fields.meaning(alias.speaker)


def shadow_of(speaker: Speaker, engines: Iterable[EngineInfo]) -> SpeakerShadowed | None:
    """Why its name does not tell who is meant; None where it does. Nobody can store such a speaker: its file was found in the folder."""
    key = speaker_key(speaker.name)
    titles = tuple(dict.fromkeys(info.title for info in engines if preset_of(speaker.name, info, key) is not None))
    return SpeakerShadowed(speaker.name, titles) if titles else None


def has_speaker(info: EngineInfo, name: str | None, inline: Inline, workspace_speakers: WorkspaceSpeakers) -> bool:
    """Whether nothing that is declared keeps the engine from speaking as that speaker. inline: in place of a name.

    A name that nobody has is no engine's. Raises SpeakersUnreachable.
    """
    if inline is not None:
        return _takes(inline, info)
    key = speaker_key(name or "")
    if not name or key in ("", DEFAULT_SPEAKER):
        return info.default_preset is not None
    return preset_of(name, info, key) is not None or _can_learn(workspace_speakers.find(key), info)


def can_learn(info: EngineInfo, name: str | None, inline: Inline, workspace_speakers: WorkspaceSpeakers) -> bool:
    """Whether that engine learns who speaks: from what comes with a request, or of a stored speaker, as those are known without a look at
    the folder. A built-in speaker is learned by none."""
    if inline is not None:
        return _takes(inline, info)
    return _can_learn(workspace_speakers.find(speaker_key(name or ""), as_known=True), info)


def _takes(inline: Inline, info: EngineInfo) -> bool:
    return info.clones_clips if inline == "recording" else info.embedding_size is not None


def _can_learn(speaker: Speaker | None, info: EngineInfo) -> bool:
    return speaker is not None and incompatibility_of(speaker, info, writes_words=True) is None


def _scope_of(workspace_speakers: WorkspaceSpeakers) -> str:
    """Whose inline recordings these are. What nobody sent is learned anew each time: strangers may share nothing, not even a cache."""
    return f"{NOBODY}{secrets.token_hex(8)}" if workspace_speakers.workspace == NOBODY else workspace_speakers.workspace


def _named(
    key: str, request: SpeakerRequest, info: EngineInfo, workspace_speakers: WorkspaceSpeakers, engines: Mapping[str, EngineInfo]
) -> PromptSource:
    """key: of the name that is asked for."""
    name = request.speaker or key
    preset = preset_of(name, info, key)
    try:
        speaker = workspace_speakers.find(key)
    except SpeakersUnreachable:
        if preset is None:
            raise
        speaker = workspace_speakers.find(key, as_known=True)  # the engine's own speaker needs no folder: what was known of it decides
    if speaker is not None and (preset is not None or workspace_speakers.store.is_reserved(key)):
        raise shadow_of(speaker, (info, *engines.values())) or SpeakerShadowed(speaker.name, ())
    if preset is not None:
        return from_preset(preset)
    if speaker is None:
        speaker = _looked_for(name, info, workspace_speakers, engines)
    if speaker.tensor is not None and speaker.tensor.form and not speaker.tensor.suits(info):
        raise prompt_untaken(speaker, info, engines.values())
    return from_speaker(speaker, info.id, request.transcript)


def _looked_for(name: str, info: EngineInfo, workspace_speakers: WorkspaceSpeakers, engines: Mapping[str, EngineInfo]) -> Speaker:
    """Of a name that the engine and the workspace do not have: raises PresetUnknown where another engine has it, BlendInvalid for what adds
    up built-in speakers and cannot, else SpeakerUnknown with those who are near."""
    owner = next((other for other in engines.values() if other.id != info.id and preset_of(name, other) is not None), None)
    if owner is not None:
        raise PresetUnknown(
            hint=f"Choose the engine {owner.id}.", sentence="preset_of_another", name=name, engine=info.title, other=owner.title
        )
    if ADDS in name and (info.blends_presets or preset_of(name, replace(info, blends_presets=True)) is not None):
        PresetBlend.of(name, info)
    return workspace_speakers.get(name)
