"""Mending words of a take: what is to be done, as far as that is known at once; and the take that comes of it."""

import secrets
from dataclasses import replace

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from engines.contract.editing import EditOperation, RecordingEdit, checked_edit, edited_words
from studio.audio.pcm16 import float32_of, int16_of
from studio.errors import MendRefused, TakeUnknown
from studio.reading.language import asked_code
from studio.running.jobs.stop_signal import StopSignal
from studio.scripts.mending.take_text import take_text
from studio.scripts.mending.word_changes import moved_words, word_changes, written_words
from studio.scripts.saying.asked_line import AskedLine, Casting
from studio.scripts.saying.candidate import MOST_SEED, SEED
from studio.scripts.saying.line_speech import LineSound, peaks_of
from studio.scripts.saying.saying_parts import SayingParts
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.script.line import ScriptLine
from studio.scripts.script.mend import LineMend, MendWish
from studio.scripts.script.take import LineTake, MendedFrom
from studio.speech.editing.edit_request import EditRequest
from studio.speech.editing.edited_sound import EditedSound
from studio.timeline import Timeline

__all__ = ["MendedTakes", "line_mend", "text_of"]

LANGUAGE = "language"  # option of engines


def line_mend(wish: MendWish, line: ScriptLine, casting: Casting, studio: SayingStudio) -> LineMend:
    """What is to be done. Raises TakeUnknown, MendRefused, EditRefused, and what an engine's look at it does: EngineUnknown,
    EditUnsupported, EditInvalid, OptionInvalid, LanguageUnsupported.
    """
    take, asked = _take_of(line, wish.take or line.chosen), casting.asked(line.written)
    words = text_of(line, take.id, casting)
    if words is None or not take.words:
        raise MendRefused(sentence="script_mend_wordless")
    voice = _voice_of(take, asked)
    info = studio.editor(wish.engine, voice, None if voice else "recording")
    text, change = _change(wish, line.written.text, words, info)
    written = line.written.with_text(text)
    is_fresh_but_for_words = casting.line_key(line.written.with_text(words)) == take.key
    return LineMend(
        take=take.id,
        words=words,
        text=text,
        line_text=line.written.text,
        engine=info.id,
        operations=tuple(replace(one, values=dict(one.values)) for one in change.operations),  # as JSON takes them
        voice=voice,
        language=asked_code(asked.language, info),
        key=casting.line_key(written) if is_fresh_but_for_words else "",
    )


def text_of(line: ScriptLine, take_id: str, casting: Casting) -> str | None:
    """Of a take; None where it cannot be told. Raises TakeUnknown."""
    take = _take_of(line, take_id)
    return take_text(take, line.written.text, is_fresh=take.key == casting.line_key(line.written))


class MendedTakes:
    """Of one script, as its workspace sees the studio. Thread-safe; every method blocks. Raises what the store does, OSError."""

    def __init__(self, parts: SayingParts, studio: SayingStudio, script_id: str):
        self._parts, self._studio, self._script_id = parts, studio, script_id

    def mend(self, line: ScriptLine, mend: LineMend, seed: int | None, stop: StopSignal) -> LineSound | None:
        """A take in which those words are others; None where it was stopped. An engine that others keep busy is waited for.

        Raises TakeUnknown, ScriptTakeDamaged, and what Studio.edit does.
        """
        take, info = _take_of(line, mend.take), self._studio.engine_info(mend.engine)
        samples, sample_rate = self._parts.sounds.read(self._script_id, take.sha256)
        known = {SEED: secrets.randbelow(MOST_SEED) if seed is None else seed, LANGUAGE: mend.language}
        options = {option.name: known[option.name] for option in info.options if known.get(option.name) is not None}
        request = EditRequest(
            engine=mend.engine,
            speaker=mend.voice,
            options=options,
            source=Clip(float32_of(samples), sample_rate),
            words=mend.words,
            operations=mend.operations,
            word_times=take.words,
            language=mend.language,
        )
        sound = stop.patiently(lambda: self._studio.edit(request, Timeline(), stop=stop))
        return None if sound is None else self._line_sound(sound, take, mend)

    def keep(self, line_id: str, sound: LineSound, mend: LineMend) -> LineTake:
        """On disk when this returns, and heard from now on. A text that was written meanwhile stays, and the take is stale.

        Raises ScriptSoundsFull, LineUnknown, ScriptUnknown.
        """
        sha256, n_bytes = self._parts.sounds.keep(self._script_id, sound.samples, sound.sample_rate)
        take = replace(sound.take, sha256=sha256, n_bytes=n_bytes)
        written = self._parts.store.line(self._script_id, line_id).written
        is_new_text = written.text == mend.line_text != mend.text
        self._parts.store.add_mended(self._script_id, line_id, take, written.with_text(mend.text) if is_new_text else None)
        return take

    def _line_sound(self, sound: EditedSound, take: LineTake, mend: LineMend) -> LineSound:
        info, samples = sound.engine, int16_of(sound.samples)
        words = moved_words(sound.words, sound.text, mend.text) or None
        mended = replace(
            take,
            id=secrets.token_hex(8),
            key=mend.key,
            seconds=len(samples) / sound.sample_rate,
            made=self._parts.clock(),
            engine=info.id,
            engine_build=" ".join(filter(None, (info.hub_id, info.extractor_revision))),
            seed=sound.seed,
            ttfp_seconds=None,
            peaks=peaks_of(samples),
            words=words,
            why_wordless="" if words else "word_times_unknown",
            estimates=None,
            reason=None,
            text=mend.text,
            mended_from=MendedFrom(take.id, take.engine),
        )
        return LineSound(samples, sound.sample_rate, mended)


# --- what is to be done


def _change(wish: MendWish, line_text: str, words: str, info: EngineInfo) -> tuple[str, RecordingEdit]:
    """(text of the line afterwards, what is done to the words of the take)."""
    text = line_text if wish.text is None else wish.text
    if not written_words(text):
        raise MendRefused(sentence="script_mend_empty")
    kinds = {kind.name: kind for kind in info.edits}
    given = tuple(wish.operations)
    given_words = any(one.kind in kinds and kinds[one.kind].changes_words for one in given)
    if given_words and wish.text is None:
        change = checked_edit(info.title, info.edits, words, given)
        text = edited_words(change, info.edits).text.strip()
        changes = tuple(one for one in change.operations if kinds[one.kind].changes_words)
    else:
        changes = word_changes(words, text)
        if changes and given_words:
            raise MendRefused(sentence="script_mend_twice")
        if not changes and not given:
            raise MendRefused(sentence="script_mend_alike")
        change = checked_edit(info.title, info.edits, words, (*changes, *given))
    if _are_all_replaced(words, changes):
        raise MendRefused(sentence="script_mend_all")
    return text, change


def _are_all_replaced(words: str, changes: tuple[EditOperation, ...]) -> bool:
    """Whether nothing of the take would stay: then a line is said again."""
    return all(any(one.start < word.end and word.start < one.end for one in changes) for word in written_words(words))


def _take_of(line: ScriptLine, take_id: str) -> LineTake:
    found = next((take for take in line.takes if take.id == take_id), None)
    if found is None:
        raise TakeUnknown
    return found


def _voice_of(take: LineTake, asked: AskedLine) -> str | None:
    """The stored voice of the line, where the take is of that recording; else who speaks is learned of the take itself."""
    return asked.voice if take.generation_id and take.generation_id == asked.generation_id else None
