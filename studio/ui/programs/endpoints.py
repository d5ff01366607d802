"""Endpoints: functions that Gradio's clients call by name, and that agents use as tools.

They are speak, convert, compare, voices, create_voice, delete_voice.

"Use via API", and the Hub's `agents.md` of a Space, show what each does in the words of the tools (studio/words/tools.py), and then its
docstring: what a call gives. Everything else of the page is private. What a call sees and makes belongs to the caller's workspace.
"""

import base64
import binascii
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial, wraps
from inspect import getdoc, signature
from typing import Any

import gradio as gr
import numpy as np
from gradio.events import api

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from studio.audio.decode import decode_base64, large_decode_lock
from studio.audio.file_encoder import FileEncoder
from studio.audio.formats import wav_header
from studio.audio.spoken_sounds import SpokenSound, SpokenSounds
from studio.errors import AnswerTooLong
from studio.listening.render.comparison import LEAST_LANES, MOST_LANES, MOST_MEASURED_SECONDS, loudness_of, recording_of, told_estimates
from studio.reading.language import language_code, languages_of
from studio.reference.reference_audio import bytes_of_url
from studio.service import Studio
from studio.speakers.enrollment import API_RULE
from studio.speakers.speaker import Enrollment, Speaker
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.body import fields_of
from studio.speech.conversion import ReadSource, reading_source
from studio.speech.refusal import refusal_of
from studio.ui.gradio.current_visit import session_of, visited
from studio.ui.gradio.messages import reported
from studio.ui.gradio.sessions import forgotten
from studio.ui.speak.relay import Relays, relayed
from studio.words.tools import TOOL_WORDS

__all__ = ["ENDPOINTS", "build_endpoints", "close_other_endpoints"]

ENDPOINTS = ("speak", "convert", "compare", "voices", "create_voice", "delete_voice")


def _plainly(endpoint: Callable) -> Callable:
    """What goes wrong, as the API would tell it."""

    @wraps(endpoint)
    def told(*inputs: object, **named: object) -> object:
        try:
            return endpoint(*inputs, **named)
        except Exception as error:
            known = reported(endpoint.__name__, error)
            if known is None:
                raise
            refusal = refusal_of(known)
            raise _error(refusal.message, refusal.hint) from None

    return told


class Endpoints:
    """Each method is one of them, and its docstring is written for whoever calls: what comes back."""

    def __init__(self, studio: Studio, relays: Relays, sounds: SpokenSounds):
        self._studio = studio
        self._relays = relays
        self._sounds = sounds

    def speak(
        self, text: str, voice: str = "", engine: str = "", language: str = "", options: dict[str, Any] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Each result but the last is a piece {"number", "sample_rate", "pcm"}: 16-bit mono PCM in base64, to be played in their order.

        The last is {"url", "seconds", "sample_rate", "ttfp_ms", "cache", "end", "warning", "ignored"}: the whole as a WAV file, which can
        be fetched for ten minutes from that address below this page's own; "ignored" names the options that the engine cannot heed.
        """
        asked = {"input": text, "voice": voice or None, "model": engine or None, "language": language or None}
        body = {name: value for name, value in (asked | fields_of(options or {})).items() if value is not None}
        yield from self._told(body, "Send the text in several calls.")

    def convert(self, recording: str, voice: str = "", engine: str = "", options: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        """Results are those of `speak`."""
        data = _decoded(recording)
        asked = {"voice": voice or None, "model": engine or None} | fields_of(options or {})
        body = {name: value for name, value in asked.items() if value is not None}
        yield from self._told(body, "Send the recording in several parts.", partial(_source_in, data))

    def compare(self, text: str, lanes: list[dict[str, Any]], language: str = "", measures: bool = False) -> Iterator[list[dict[str, Any]]]:
        """Each result is the list of the lanes so far, {"voice", "engine"} with what `speak` gives as its last result, and "lufs".

        "lufs" is its loudness, and "estimates" are those of programs; a lane that failed has {"error"}.
        """
        if not LEAST_LANES <= len(lanes) <= MOST_LANES:
            raise _error(f"There are {len(lanes)} lanes.", f"Send {LEAST_LANES} to {MOST_LANES} of them.")
        seen, told = visited(self._studio), []
        for lane in lanes:
            told.append(self._compared(seen, text, lane, language, measures=measures))
            yield list(told)

    def _compared(self, seen: Studio, text: str, lane: dict[str, Any], language: str, *, measures: bool) -> dict[str, Any]:
        """One lane. seen: as the caller sees it."""
        names = {name: str(lane.get(name) or "") for name in ("voice", "engine")}
        try:
            *pieces, whole = self.speak(text, **names, language=language, options=lane.get("options"))
        except gr.Error as error:
            return names | {"error": error.message}
        if whole["seconds"] > MOST_MEASURED_SECONDS:
            return names | whole
        samples, rate = np.concatenate([_samples_of(piece["pcm"]) for piece in pieces]), whole["sample_rate"]
        about = {"text": text, "speaker": recording_of(seen, names["voice"]), "language": language or None}
        estimates = {"estimates": told_estimates(seen.estimators, samples, rate, **about)} if measures else {}
        return names | whole | {"lufs": loudness_of(samples, rate)} | estimates

    def _told(self, body: dict[str, Any], hint: str, read_source: ReadSource | None = None) -> Iterator[dict[str, Any]]:
        """The results of a run. hint: what to do where it is longer than one result may hold."""
        run = {"run": secrets.token_hex(8), "request": body}
        messages = relayed(visited(self._studio), self._relays, session_of(), run, keep=False, read_source=read_source)
        allowance = AudioAllowance(self._studio.settings.most_audio_seconds)  # the last result holds all of it
        try:
            with closing(messages):
                yield from _spoken(messages, self._sounds, allowance)
        except AnswerTooLong as error:
            raise _error(refusal_of(error).message, hint) from None

    @_plainly
    def voices(self) -> list[dict[str, Any]]:
        """Each is {"name", "seconds", "language", "description", "own", "learned_by"}: `own` voices can be deleted.

        `learned_by` names the speech models that know it already, so that the first speech comes at once. `learning` tells how alike those
        are by now that learn in steps: {model: {"step", "of", "seconds_left"}}. `shadowed` tells why one cannot be spoken with by its name,
        where that is also the name of a built-in voice.
        """
        seen = visited(self._studio)
        return [_told(seen, speaker) for speaker in seen.speakers()]

    @_plainly
    def create_voice(self, name: str, recording: str, consent: str, transcript: str = "", language: str = "") -> dict[str, Any]:
        """Gives the voice, as `voices` tells it."""
        seen = visited(self._studio)
        is_address = recording.startswith(("http://", "https://"))
        data = bytes_of_url(recording, seen.settings, seen.remote_audio.fetch) if is_address else _decoded(recording)
        clip = API_RULE.decode(data)
        API_RULE.check(clip)
        known = languages_of(status.info for status in seen.engines())
        words_language = language_code(language, tuple(known), known)
        words = Transcript.of(transcript, words_language)
        words = words or seen.transcriber.words_of(clip, words_language)
        return _told(seen, seen.enroll(Enrollment(name, consent, clip=clip, transcript=words, file_bytes=len(data))))

    @_plainly
    def delete_voice(self, name: str, delete_tests: bool = False) -> dict[str, Any]:
        """Gives {"deleted"}; listening tests that were made with it are named in `tests`. Scripts keep what it said in them."""
        seen = visited(self._studio)
        speaker = seen.forget(name)
        used = seen.listening.speaker_gone(speaker.name, delete_tests=delete_tests)
        seen.scripts.speaker_gone(speaker.name, delete_takes=False, generation_id=speaker.generation_id)
        return {"deleted": speaker.name} | ({"tests": [test.id for test in used]} if used else {})


def build_endpoints(studio: Studio, page: gr.Blocks, relays: Relays, sounds: SpokenSounds) -> None:
    """Called inside of the page's Blocks."""
    endpoints = Endpoints(studio, relays, sounds)
    for streams in (endpoints.speak, endpoints.convert, endpoints.compare):
        api(_described(forgotten(page, streams)), api_name=streams.__name__, concurrency_limit=None, queue=True)
    for endpoint in (endpoints.voices, endpoints.create_voice, endpoints.delete_voice):
        api(_described(forgotten(page, endpoint)), api_name=endpoint.__name__, queue=False)


def _described(endpoint: Callable) -> Callable:
    """With a docstring as Gradio reads one: what it does, what it gives, and its arguments."""
    words = TOOL_WORDS[endpoint.__name__]
    arguments = [f"{name}: {words.arguments[name]}" for name in signature(endpoint).parameters]
    endpoint.__doc__ = "\n".join((words.about, "", getdoc(endpoint) or "", "", "Args:", *(f"    {line}" for line in arguments)))
    return endpoint


def close_other_endpoints(page: gr.Blocks) -> None:
    """Make private what Gradio itself offers beside ours, such as the event behind its login button."""
    for event in page.fns.values():
        if event.api_name not in ENDPOINTS:
            event.api_visibility = "private"


def _source_in(data: bytes, info: EngineInfo) -> Clip:
    """The recorded speech in a file. Raises RecordedSpeechUnusable, RequestInvalid."""
    with reading_source(info, API_RULE) as rule:
        return rule.decode(data)


def _error(fact: str, hint: str) -> gr.Error:
    return gr.Error(f"{fact.rstrip('.')}. {hint}".strip(), print_exception=False)


def _spoken(messages: Iterator[dict[str, Any]], sounds: SpokenSounds, allowance: AudioAllowance) -> Iterator[dict[str, Any]]:
    """The relay's messages as `speak` tells them."""
    wav, facts, sample_rate = None, {}, 0
    with ExitStack() as opened:
        for message in messages:
            if refusal := message.get("refusal"):
                raise _error(refusal["fact"], refusal["hint"])
            facts, sample_rate = message.get("facts", facts), message.get("sampleRate", sample_rate)
            if "samples" in message:
                wav = wav or opened.enter_context(closing(FileEncoder("wav", sample_rate)))
                samples = _samples_of(message["samples"])
                allowance.take(len(samples) / sample_rate)
                wav.push(samples)
                yield {"number": message["number"], "sample_rate": sample_rate, "pcm": message["samples"]}
            elif wav is not None:
                file = opened.enter_context(closing(wav.finish()))
                yield _whole(file.read(), sample_rate, facts, message.get("end") or {}, sounds)


def _samples_of(pcm: str) -> np.ndarray:
    """(T,) float32 of int16 in base64."""
    return np.frombuffer(base64.b64decode(pcm), "<i2").astype(np.float32) / 32768


def _whole(wav: bytes, sample_rate: int, facts: dict[str, Any], end: dict[str, Any], sounds: SpokenSounds) -> dict[str, Any]:
    first_audio = facts.get("stages", {}).get("first_audio", {}).get("milliseconds")
    return {
        "url": f"studio/spoken/{sounds.keep(SpokenSound(wav))}",
        "seconds": round((len(wav) - len(wav_header(sample_rate, 0))) / 2 / sample_rate, 3),
        "sample_rate": sample_rate,
        "ttfp_ms": first_audio,
        "cache": facts.get("cache", ""),
        "end": end.get("reason", ""),
        "warning": end.get("warning", ""),
        "ignored": facts.get("ignored", []),
    }


def _told(studio: Studio, speaker: Speaker) -> dict[str, Any]:
    words = speaker.transcript
    learning = {engine: learning.told for engine, learning in studio.prompts.learning(speaker).items()}
    shadow = studio.shadow_of(speaker)
    return (
        {
            "name": speaker.name,
            "seconds": speaker.seconds,
            "language": (words.language or "") if words else "",
            "description": speaker.description or "",
            "own": studio.workspace_speakers.owns(speaker),
            "learned_by": sorted(studio.prompts.places(speaker)),
        }
        | ({"learning": learning} if learning else {})
        | ({"shadowed": f"{shadow.fact} {shadow.hint}"} if shadow else {})
    )


def _decoded(recording: str) -> bytes:
    """Raises gr.Error."""
    _, _, data = recording.rpartition(",") if recording.startswith("data:") else ("", "", recording)
    try:
        with large_decode_lock(len(data)):
            return decode_base64(data)
    except binascii.Error:
        raise _error("The recording is not base64.", "Send the bytes of an audio file in base64, or as a data: URL.") from None
