"""Voices as this door lists them, and what is meant by the name of one.

Home Assistant names a voice and never a language, though a person chooses one: it shows the voices of that language. So a voice that
speaks several is listed once for each, as `Ana@fr`. Its short answers could not be guessed right.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines.contract.contract import EngineInfo
from studio.errors import SpeakersUnreachable
from studio.service import Studio
from studio.speakers.speaker import Speaker, speaker_key
from studio.speech.request import DEFAULT_SPEAKER
from studio.speech.voice_of import can_learn, has_speaker

__all__ = ["ListedVoice", "listed_voices", "voice_fields"]

MOST_LISTED = 3000  # voices in all their languages, half a megabyte; Home Assistant gives a server one second for it
OF_A_LANGUAGE = re.compile(r"(?P<voice>.+)@(?P<language>[A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*)", re.DOTALL)


@dataclass(frozen=True)
class ListedVoice:
    """name: by which it is asked for. description: for people. maker, link: to whom it is owed."""

    name: str
    description: str
    languages: tuple[str, ...]
    maker: str = ""
    link: str = ""


def listed_voices(studio: Studio) -> tuple[ListedVoice, ...]:
    """What can be spoken now, the default voice first. Blocks. A folder that cannot be read has no voices."""
    engines, usual = _speaking(studio), studio.engine_info(studio.default.usual)
    if not engines:
        return ()
    voices = [ListedVoice(DEFAULT_SPEAKER, "Default voice", _base_languages(engines[0], usual))]
    voices += _stored(studio, engines, usual)
    names = {speaker_key(voice.name) for voice in voices}
    for info in engines:
        for voice in _built_in(info):
            if speaker_key(voice.name) not in names:
                names.add(speaker_key(voice.name))
                voices.append(voice)
    if sum(len(voice.languages) for voice in voices) > MOST_LISTED:
        return tuple(voices)
    return tuple(each for voice in voices for each in _of_each_language(voice))


def voice_fields(studio: Studio, voice: Mapping[str, str | None], program: str | None = None) -> dict[str, str | None]:
    """Fields of a SpeechBody that say who speaks, and in which language. Blocks. program: the engine that was selected, if any.

    voice: `name`, `language` and `speaker` of an event. A speaker is a voice of the engine that is named in its place.
    Raises EngineUnknown, SpeakersUnreachable.
    """
    name, language, speaker = (voice.get(part) or None for part in ("name", "language", "speaker"))
    if name and speaker:
        return {"model": studio.engine_id(name), "voice": speaker, "language": language}
    engines = _speaking(studio, program)
    if name and _owner(studio, name, engines) is None and (tagged := OF_A_LANGUAGE.fullmatch(name)):
        name, language = tagged["voice"], language or tagged["language"]
    if name and speaker_key(name) == DEFAULT_SPEAKER:
        name = None
    owner = program or (_owner(studio, name, engines) if name else None)
    is_default = owner is None or (program is None and owner == studio.default.id)
    return {"model": None if is_default else owner, "voice": name, "language": language}


def _speaking(studio: Studio, only: str | None = None) -> tuple[EngineInfo, ...]:
    """The engines that can speak, the default first."""
    infos = [status.info for status in studio.engines() if not status.is_out_of_order and only in (None, status.info.id)]
    return tuple(sorted(infos, key=lambda info: info.id != studio.default.id))


def _owner(studio: Studio, name: str, engines: tuple[EngineInfo, ...]) -> str | None:
    """The first engine that speaks as that voice."""
    return next((info.id for info in engines if has_speaker(info, name, None, studio.workspace_speakers)), None)


def _stored(studio: Studio, engines: tuple[EngineInfo, ...], usual: EngineInfo) -> Iterator[ListedVoice]:
    try:
        speakers = studio.speakers()
    except SpeakersUnreachable:
        return
    for speaker in speakers:
        if studio.shadow_of(speaker) is None and (able := _able(studio, speaker, (*engines, usual))):
            by = (able[0], usual) if usual in able and able[0].id == studio.default.id else able[:1]
            yield ListedVoice(speaker.name, speaker.name, _base_languages(*by))


def _able(studio: Studio, speaker: Speaker, engines: tuple[EngineInfo, ...]) -> list[EngineInfo]:
    return [info for info in engines if can_learn(info, speaker.name, None, studio.workspace_speakers)]


def _built_in(info: EngineInfo) -> Iterator[ListedVoice]:
    maker, link = info.attribution or info.title, next((each.url for each in info.licenses if each.url), "")
    languages = _base_languages(info)
    for preset in info.presets:
        own = info.preset_languages.get(preset)
        spoken = languages if own is None else tuple(code for code in (own.partition("-")[0],) if code in languages)
        if preset != info.designed_preset and spoken:  # the designed one has no voice until somebody describes it
            yield ListedVoice(preset, f"{preset}, {info.title}", spoken, maker, link)


def _base_languages(*infos: EngineInfo) -> tuple[str, ...]:
    """Without accents, of which Home Assistant would make languages of their own."""
    return tuple(dict.fromkeys(code.partition("-")[0] for info in infos for code in info.languages))


def _of_each_language(voice: ListedVoice) -> Iterator[ListedVoice]:
    if len(voice.languages) == 1:
        yield voice
        return
    for code in voice.languages:
        yield ListedVoice(f"{voice.name}@{code}", voice.description, (code,), voice.maker, voice.link)
