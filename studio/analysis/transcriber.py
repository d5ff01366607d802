"""Transcriber: writes the transcript of a clip. It needs faster-whisper and weights for it on this machine.

It has a thread of its own and half of the processor's cores, in 8-bit integers, so that nobody who listens waits for it; no GPU and no
network. Weights are loaded at the first clip, and let go of after as long an idle time as engines are.
"""

import logging
import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from huggingface_hub import try_to_load_from_cache
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id

from engines.advice.clip_advice import words_verdict
from engines.clips.clip import Clip, Transcript
from engines.clips.clip_quality import measure_clip
from engines.errors import EngineError
from studio.analysis import packaged_whisper, packages
from studio.analysis.quiet_worker import MOST_WAITING, QuietWorker, QuietWorkerFull, half_the_cores
from studio.errors import TranscriberBusy, TranscriberFailed, TranscriberMissing
from studio.reading.language import language_code

__all__ = ["Transcriber"]

PACKAGE = "faster_whisper"
FILES = ("model.bin", "tokenizer.json")  # of the weights; without the second faster-whisper would ask the hub for another model's
SAMPLE_RATE = 16_000  # Hz, which Whisper hears (OpenAI, whisper/audio.py, SAMPLE_RATE)
RETRY_AFTER_SECONDS = 10
OTHER_CODES = {"jw": "jv"}  # of a language -> the ISO 639 code (OpenAI, whisper/tokenizer.py, LANGUAGES)
# What Whisper goes on in the manner of: simplified characters with punctuation, as engines learned them, or the traditional ones of who
# asks for them. Without it either comes, and no punctuation.
CHINESE, MANNER, TRADITIONAL_MANNER = "zh", "以下是普通话的句子。", "以下是普通話的句子。"
ENGLISH_ALONE = ".en"  # how the names of such weights end (OpenAI, whisper/__init__.py)
_LANGUAGE_TOKEN = re.compile(r"<\|([a-z]{2,3})\|>")  # of Whisper's tokenizer; its other tokens have longer names
TRADITIONAL = ("-tw", "-hk", "-mo", "-hant")

log = logging.getLogger("studio")


class Transcriber:
    """Thread-safe. checkpoint: a folder of weights or their hub's id; None for those of the packages, where `make ears` put them.

    idle_seconds: 0 for ever. Packages are looked for once: each look searches the disk, and what is installed later is there from the next
    start on.
    """

    def __init__(self, checkpoint: str | None, idle_seconds: float = 0.0):
        self.checkpoint = checkpoint
        self._worker = QuietWorker("transcriber", lambda: _open(checkpoint), idle_seconds)

    @property
    def name(self) -> str:
        """Of the weights, for anybody to read: their hub's id, or what their folder is called. "" where there is no transcriber."""
        if self.checkpoint is None:
            return packaged_whisper.NAME if packaged_whisper.parts() else ""
        is_id = _is_hub_id(self.checkpoint) and not Path(self.checkpoint).is_dir()
        return self.checkpoint if is_id else Path(self.checkpoint).name

    @property
    def is_here(self) -> bool:
        """Whether it can write."""
        return self._lack() is None

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Codes of what it can hear, as far as its files tell; () where none are here. Loads nothing."""
        if self.checkpoint is None:
            found = packaged_whisper.parts()
            folder = found and found[1]
        else:
            folder = _folder(self.checkpoint)
        if folder is None:
            return ()
        if self.name.endswith(ENGLISH_ALONE):  # whose tokens name all languages too
            return ("en",)
        codes: list[str] = _LANGUAGE_TOKEN.findall((folder / FILES[1]).read_text("utf-8"))
        return tuple(dict.fromkeys(OTHER_CODES.get(code, code) for code in codes))

    def lacking(self) -> TranscriberMissing | None:
        """What is missing and how to get it; None where nothing is. Looks, and loads nothing."""
        lack = self._lack()
        return None if lack is None else TranscriberMissing(*lack)

    def write(self, clip: Clip, language: str | None = None) -> Transcript | None:
        """The words and their language, None where there are no words. Waits for those before.

        language: a code or an English name where it is known. Raises TranscriberMissing, TranscriberBusy, TranscriberFailed,
        LanguageUnsupported, SpeechCancelled.
        """
        if lacking := self.lacking():
            raise lacking
        try:
            return self._worker.run(lambda model: self._written(model, clip, language))
        except QuietWorkerFull:
            raise TranscriberBusy(MOST_WAITING, RETRY_AFTER_SECONDS) from None
        except EngineError:
            raise
        except Exception as error:
            log.exception("the transcriber failed")
            raise TranscriberFailed from error

    def words_of(self, clip: Clip, language: str | None = None) -> Transcript | None:
        """The same for a voice whose words nobody sent, a line for each of its recordings: None also where it cannot write them, or can
        hardly have heard right.
        """
        try:
            return self.certain_words(clip, language) if self.is_here else None
        except EngineError as error:
            log.info("the words of a new voice were not written down: %s", error.fact)
            return None

    def certain_words(self, clip: Clip, language: str | None = None) -> Transcript | None:
        """The same for who cannot do without: None only where it can hardly have heard right. Raises what `write` does."""
        written = []
        for recording in clip.recordings():
            words = self.write(recording, language)
            if words is None or not _fits(words, recording):
                return None
            written.append(words)
        words = Transcript.of_recordings([words.text for words in written], clip.n_recordings, written[0].language)
        return words and replace(words, by_transcriber=True)

    def close(self) -> None:
        """Who waits is told that the studio closes; what is under way ends with the sentence that it is at, and is given to nobody."""
        self._worker.close()

    @cached_property
    def _lacking_package(self) -> tuple[str, str] | None:
        """Which is not installed, and what installs it."""
        if self.checkpoint is None and not packaged_whisper.parts():
            hint = f"{packages.HINT} installs one, or set STUDIO_TRANSCRIBER, such as to Systran/faster-whisper-small."
            return "This studio has no transcriber.", hint
        if packages.folder_of(PACKAGE) is None:
            return "The transcriber's package is not installed.", packages.HINT
        return None

    def _lack(self) -> tuple[str, str] | None:
        """The fact and the hint of what is missing."""
        if self._lacking_package is not None:
            return self._lacking_package
        if self.checkpoint is not None and _folder(self.checkpoint) is None:
            is_on_the_hub = _is_hub_id(self.checkpoint) and not Path(self.checkpoint).is_dir()
            elsewhere = "Set STUDIO_TRANSCRIBER to a folder that holds them, or to their hub's id."
            hint = f"hf download {self.checkpoint}" if is_on_the_hub else elsewhere
            return f"The transcriber's weights are not on this machine: {' and '.join(FILES)} are wanted.", hint
        return None

    def _written(self, model: Any, clip: Clip, language: str | None) -> Transcript | None:
        """On its thread."""
        known = language_code(language, model.supported_languages)
        # what was said before says nothing of a clip, and errors would go on in it; pauses are where Whisper hears what is not there
        how, heard = {"condition_on_previous_text": False, "vad_filter": True}, _heard(clip)
        segments, info = model.transcribe(heard, language=known, initial_prompt=_manner(known, language), **how)
        if known is None and info.language == CHINESE:  # segments are heard when they are asked for: none is by now
            segments, info = model.transcribe(heard, language=CHINESE, initial_prompt=MANNER, **how)
        parts = []
        for segment in segments:  # each is computed when it is asked for
            self._worker.check_closing()
            parts.append(segment.text)
        return Transcript.of(" ".join("".join(parts).split()), OTHER_CODES.get(info.language, info.language))


def _fits(words: Transcript, clip: Clip) -> bool:
    """Whether that can be said in its seconds of speech."""
    speech_seconds = measure_clip(clip).speech_seconds
    return speech_seconds > 0 and words_verdict(words.text, speech_seconds).grade == "good"


def _manner(known: str | None, asked: str | None) -> str | None:
    """known: the code of what was asked for."""
    if known != CHINESE:
        return None
    return TRADITIONAL_MANNER if (asked or "").casefold().replace("_", "-").endswith(TRADITIONAL) else MANNER


def _open(checkpoint: str | None) -> Any:
    """A WhisperModel of faster-whisper 1.2. Loading takes a second or a few."""
    from faster_whisper import WhisperModel  # its libraries are large, and most studios have none of them

    how = {"device": "cpu", "compute_type": "int8", "cpu_threads": half_the_cores(), "local_files_only": True}
    if checkpoint is None:
        return WhisperModel(packaged_whisper.NAME, files=packaged_whisper.files(), **how)
    return WhisperModel(str(_folder(checkpoint)), **how)


def _is_hub_id(checkpoint: str) -> bool:
    try:
        validate_repo_id(checkpoint)
    except HFValidationError:
        return False
    return True


def _folder(checkpoint: str) -> Path | None:
    """Where the weights lie, in that folder or in the hub's cache; None where they are not all here."""
    folder = Path(checkpoint).expanduser()
    if not folder.is_dir():
        found = try_to_load_from_cache(checkpoint, FILES[0]) if _is_hub_id(checkpoint) else None
        if not isinstance(found, str):
            return None
        folder = Path(found).parent
    return folder if all((folder / name).is_file() for name in FILES) else None


def _heard(clip: Clip) -> np.ndarray:
    """(T,) float32 at SAMPLE_RATE, within full scale."""
    samples = soxr.resample(clip.samples, clip.sample_rate, SAMPLE_RATE)
    return samples / max(1.0, float(np.abs(samples).max(initial=0.0)))
