"""EntryRecord: the sound of a history entry while it is spoken. It is encoded in the background, and never held as samples."""

import logging
from collections.abc import Callable

import numpy as np

from engines.contract.speech_end import SpeechEnd
from studio.audio.file_encoder import EncodedFile, FileEncoder
from studio.errors import DiskError
from studio.speech.timed_words import TimedWord

__all__ = ["EntryRecord", "Words"]

Words = tuple[TimedWord, ...] | None

log = logging.getLogger("studio.history")


class EntryRecord:
    """A Record (speech.py). submit(verb): runs it soon, in the order of submission, on a thread that is the history's own.

    write(file, seconds, end, words): there, once the speech is over; the FLAC file is closed after it. Not where there was no sound.
    """

    def __init__(
        self,
        entry_id: str,
        sample_rate: int,
        submit: Callable[[Callable[[], None]], None],
        write: Callable[[EncodedFile, float, SpeechEnd, Words], None],
        doubt: str = "",
    ):
        self.entry_id = entry_id
        self.doubt = doubt
        self._sample_rate = sample_rate
        self._submit = submit
        self._write = write
        self._encoder: FileEncoder | None = None
        self._n_samples = 0
        self._is_over = False

    def add(self, samples: np.ndarray) -> None:
        self._submit(lambda: self._kept(lambda: self._encode(samples)))

    def end(self, end: SpeechEnd, words: Callable[[], Words]) -> None:
        self._submit(lambda: self._kept(lambda: self._finish(end, words)))

    def close(self) -> None:
        """Nothing is kept of a speech that has not ended. On the thread of the history, or once that is over; idempotent."""
        self._is_over = True
        if self._encoder is not None:
            self._encoder.close()

    def _kept(self, verb: Callable[[], None]) -> None:
        """What goes wrong must speak up for itself, once; half a speech is not kept. Raises what the disk refuses.

        A reader who is handing out samples while another thread hangs up adds them behind the end, where they are nobody's.
        """
        if self._is_over:
            return
        try:
            verb()
        except Exception as error:
            self.close()
            if isinstance(error, DiskError):
                raise
            log.exception("a speech was not kept")

    def _encode(self, samples: np.ndarray) -> None:
        if self._encoder is None:
            self._encoder = FileEncoder("flac", self._sample_rate)
        self._encoder.push(samples)
        self._n_samples += len(samples)

    def _finish(self, end: SpeechEnd, words: Callable[[], Words]) -> None:
        self._is_over = True
        if self._encoder is None:
            return
        file = self._encoder.finish()
        try:
            self._write(file, self._n_samples / self._sample_rate, end, words())
        finally:
            file.close()
