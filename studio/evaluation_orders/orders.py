"""ReadyOrder: what somebody asked for, checked and named: the order for an evaluation, and the sounds that are brought to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.contract.contract import EngineInfo
from engines.contract.options import nearest
from studio.errors import EvaluationFileUnknown, EvaluationIncomplete, EvaluationListTooLong, EvaluationMeasureUnknown, SpeakerUnknown
from studio.evaluation_orders.asked import AskedEvaluation
from studio.evaluation_orders.materials import Materials, Note
from studio.evaluation_orders.systems import free_id, systems_of
from studio.evaluations.evaluations import Evaluations
from studio.evaluations.plan.cell import CellKey
from studio.evaluations.plan.figures import FAMILIES
from studio.evaluations.plan.order import EvaluationOrder
from studio.evaluations.plan.plan import (
    MOST_TEXTS,
    MOST_VOICES,
    EvaluationPlan,
    EvaluationSystem,
    EvaluationText,
    EvaluationVoice,
)
from studio.evaluations.texts.sounds import ReadFiles, read_files
from studio.evaluations.texts.voices import ReadVoice
from studio.service import Studio
from studio.speakers.demo import DEMO_FILE, DEMO_NAME, demo_recording
from studio.speakers.speaker import preset_of

__all__ = ["ReadyOrder", "Refused", "bring", "order_of", "refusals"]

NOBODY_KNOWN = "none"  # the id of the voice of brought sounds, where nobody says who speaks
MOST_NAMES = 12  # that a refusal lists


@dataclass(frozen=True)
class ReadyOrder:
    """sounds: what is brought, by the cell that it is of. notes: what is to be known of what was read."""

    order: EvaluationOrder
    sounds: Mapping[CellKey, Path]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Refused:
    """What a system will not say, known before it is asked. voice: an id, "" for all; language: a code, "" for all. why: a sentence."""

    system: str
    voice: str
    language: str
    why: str


def order_of(studio: Studio, asked: AskedEvaluation, materials: Materials) -> ReadyOrder:
    """asked.systems: engines, and labels of materials.folders. Nothing is kept yet.

    Raises EngineUnknown, OptionInvalid, SpeakerUnknown with the nearest name, EvaluationMeasureUnknown, EvaluationIncomplete,
    EvaluationListTooLong, EvaluationFileUnknown.
    """
    check_measures(asked.measures)
    systems = systems_of(studio, asked.systems)
    labels = {system.id: told.files for system, told in zip(systems, asked.systems, strict=True) if told.files is not None}
    voices, recordings = _voices(studio, systems, materials)
    brought = {one: _read(label, materials, voices) for one, label in labels.items()}
    texts = _texts(materials, brought.values())
    voices, unused = _that_speak(_with_those_of_sounds(studio, systems, voices, brought.values()), texts)
    _check_sizes(systems, voices, texts)
    plan = EvaluationPlan(
        title=asked.title,
        systems=systems,
        voices=voices,
        texts=texts,
        seeds=tuple(dict.fromkeys(asked.seeds)),
        measures=asked.measures,
        learn=asked.learn,
        versa=asked.versa,
    )
    references = {text.id: materials.references[text.id] for text in texts if text.id in materials.references}
    kept = {voice.id: recordings[voice.id] for voice in voices if voice.id in recordings}
    notes = (*materials.notes, *unused, *(note for sounds in brought.values() for note in sounds.notes))
    return ReadyOrder(EvaluationOrder(plan, kept, references), _sounds(plan, brought), notes)


def bring(evaluations: Evaluations, evaluation_id: str, sounds: Mapping[CellKey, Path]) -> Iterator[CellKey]:
    """Hand each sound over; of each that was not there the cell comes out. Raises what decoding does, OSError."""
    for key, path in sounds.items():
        if evaluations.bring_sound(evaluation_id, key, path):
            yield key


def check_measures(measures: Sequence[str] | None) -> None:
    """Raises EvaluationMeasureUnknown."""
    for name in measures or ():
        if name not in FAMILIES:
            raise EvaluationMeasureUnknown(name, nearest(name, FAMILIES), FAMILIES)


def refusals(studio: Studio, plan: EvaluationPlan) -> Iterator[Refused]:
    """What is certain before anybody speaks: an engine that cannot be opened, a built-in voice of others, a language that is not spoken."""
    statuses = {status.info.id: status for status in studio.engines()}
    languages = sorted({text.language for text in plan.texts if text.language})
    for system in plan.systems:
        if system.engine is None or system.engine not in statuses:
            continue
        status = statuses[system.engine]
        if status.is_out_of_order:
            yield Refused(system.id, "", "", f"{status.reason} {status.hint}".strip())
            continue
        for voice in plan.voices:
            if why := _refused_voice(studio, status.info, voice):
                yield Refused(system.id, voice.id, "", why)
        spoken = {_bare(code) for code in status.info.languages}
        for code in languages:
            if spoken and _bare(code) not in spoken:
                yield Refused(system.id, "", code, f"{status.info.title} does not speak {code}.")


# --- voices


def _voices(
    studio: Studio, systems: Sequence[EvaluationSystem], materials: Materials
) -> tuple[tuple[EvaluationVoice, ...], dict[str, bytes | Path]]:
    """(of the plan; id -> recording, of those that are not stored)"""
    infos = _infos(studio, systems)
    made: list[EvaluationVoice] = []
    for voice_id, name in materials.listed.items():
        made.append(EvaluationVoice(id=voice_id, label=name, name=_meant(studio, infos, name)))
    demos = []
    for asked in materials.names:
        if (demo := _demo(studio, asked.name or "")) is not None:
            demos.append(demo)
            continue
        name = _meant(studio, infos, asked.name or "")
        if any(one.name == name for one in made):
            continue
        told = {"id": free_id(name, [one.id for one in made]), "label": asked.label or name, "name": name}
        made.append(EvaluationVoice.model_validate(told | {"words": asked.words, "language": asked.language, "person": asked.person}))
    recordings: dict[str, bytes | Path] = {}
    for voice in (*demos, *materials.voices):
        known = _recorded(voice).model_copy(update={"id": free_id(voice.id, [one.id for one in made])})
        made.append(known)
        recordings[known.id] = voice.path or voice.data or b""
    return tuple(made), recordings


def _with_those_of_sounds(
    studio: Studio, systems: Sequence[EvaluationSystem], voices: Sequence[EvaluationVoice], brought: Iterable[ReadFiles]
) -> tuple[EvaluationVoice, ...]:
    """Who speaks in sounds of others, too; a voice that nobody knows where there are only such sounds. Raises EvaluationIncomplete."""
    known = {one.id for one in voices}
    labels = {voice: label for sounds in brought for voice, label in sounds.voices.items() if voice not in known}
    others = {voice: EvaluationVoice(id=voice, label=label) for voice, label in labels.items()}
    if made := (*voices, *others.values()):
        return made
    infos = _infos(studio, systems)
    if infos:
        names = [DEMO_NAME, *(one.name for one in studio.speakers()), *(preset for info in infos for preset in info.presets)]
        raise EvaluationIncomplete(sentence="evaluation_without_voices", names=_some(names))
    return (EvaluationVoice(id=NOBODY_KNOWN, label="–"),)


def _that_speak(voices: Sequence[EvaluationVoice], texts: Sequence[EvaluationText]) -> tuple[tuple[EvaluationVoice, ...], tuple[Note, ...]]:
    """(those that have a text, what is told of the others): a list may bind each text to a voice of its own."""
    bound = {text.voice for text in texts}
    if None in bound:
        return tuple(voices), ()
    left = [voice.label for voice in voices if voice.id not in bound]
    note: Note = ("command_voices_unused", {"n": len(left), "voices": ", ".join(left[:3])})
    return tuple(voice for voice in voices if voice.id in bound), (note,) if left else ()


def _infos(studio: Studio, systems: Sequence[EvaluationSystem]) -> list[EngineInfo]:
    return [studio.engine_info(system.engine) for system in systems if system.engine is not None]


def _recorded(voice: ReadVoice) -> EvaluationVoice:
    return EvaluationVoice(id=voice.id, label=voice.label, words=voice.words, language=voice.language, person=voice.person)


def _demo(studio: Studio, name: str) -> ReadVoice | None:
    """The recording that comes with the studio, where nobody has stored it and somebody names it."""
    if name.strip().casefold() != DEMO_NAME.casefold():
        return None
    try:
        studio.speaker(name)
    except SpeakerUnknown:
        demo = demo_recording()
        words = demo.transcript
        return ReadVoice(DEMO_NAME, DEMO_NAME, path=DEMO_FILE, words=words and words.text, language=words and words.language)
    return None


def _meant(studio: Studio, infos: Sequence[EngineInfo], name: str) -> str:
    """The stored or built-in voice of that name, as it is spelt. Raises SpeakerUnknown, with the nearest of both."""
    try:
        return studio.speaker(name).name
    except SpeakerUnknown:
        preset = next((preset for info in infos if (preset := preset_of(name, info))), None)
        if preset is not None:
            return preset
        known = [DEMO_NAME, *(speaker.name for speaker in studio.speakers()), *(preset for info in infos for preset in info.presets)]
        raise SpeakerUnknown(name, nearest(name, known)) from None


def _refused_voice(studio: Studio, info: EngineInfo, voice: EvaluationVoice) -> str:
    """Why an engine cannot speak in a voice; "" where nothing is known."""
    if voice.name is None:
        return "" if info.clones_clips else f"{info.title} learns no voices from recordings."
    if preset_of(voice.name, info):
        return ""
    try:
        studio.speaker(voice.name)
    except SpeakerUnknown:
        return f"{voice.name} is built into another engine."
    return "" if info.clones_clips else f"{info.title} learns no voices from recordings."


# --- texts and sounds


def _read(label: str, materials: Materials, voices: Sequence[EvaluationVoice]) -> ReadFiles:
    """Raises EvaluationFileUnknown."""
    if label not in materials.folders:
        raise EvaluationFileUnknown(label, tuple(materials.folders))
    return read_files(materials.folders[label], label, materials.texts, voices)


def _texts(materials: Materials, brought: Iterable[ReadFiles]) -> tuple[EvaluationText, ...]:
    """Those of the order; else those that brought sounds have lists of. Raises EvaluationIncomplete."""
    if materials.texts:
        return materials.texts
    of_sounds = {text.id: text for sounds in brought for text in sounds.texts}
    if not of_sounds:
        raise EvaluationIncomplete(sentence="evaluation_without_texts")
    return tuple(of_sounds.values())


def _sounds(plan: EvaluationPlan, brought: Mapping[str, ReadFiles]) -> dict[CellKey, Path]:
    """brought: by system. The voice "" is the plan's first one: nobody said another. Raises EvaluationIncomplete where none matches."""
    cells, found = set(plan.cells()), {}
    for system, sounds in brought.items():
        keys = {CellKey(system, voice or plan.voices[0].id, text, seed): path for (voice, text, seed), path in sounds.sounds.items()}
        matching = {key: path for key, path in keys.items() if key in cells}
        if not matching:
            raise EvaluationIncomplete(sentence="evaluation_without_sounds", names=sounds.label)
        found |= matching
    return found


def _check_sizes(systems: Sequence[EvaluationSystem], voices: Sequence[EvaluationVoice], texts: Sequence[EvaluationText]) -> None:
    """Raises EvaluationIncomplete, EvaluationListTooLong. How many sounds there are, the evaluation itself checks."""
    if not systems:
        raise EvaluationIncomplete(sentence="evaluation_without_systems", names="–")
    for what, n, most in (("voices", len(voices), MOST_VOICES), ("texts", len(texts), MOST_TEXTS)):
        if n > most:
            raise EvaluationListTooLong(what, n, most)


def _some(names: Sequence[str]) -> str:
    return ", ".join((*names[:MOST_NAMES], *(("...",) if len(names) > MOST_NAMES else ())))


def _bare(code: str) -> str:
    return code.replace("_", "-").partition("-")[0].casefold()
