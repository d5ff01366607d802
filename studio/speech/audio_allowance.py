"""AudioAllowance: the seconds of audio that a request may still have as whole files. A whole file is made before it is sent."""

from engines.text.language_guess import guess_language
from engines.text.spoken_length import asked_seconds, estimated_seconds, repeated_seconds, spoken_seconds
from studio.errors import AnswerTooLong
from studio.speech.speech import Speech

__all__ = ["AudioAllowance"]

# Of its estimate, speech takes at least so much: two thirds where the text is short or little is known of its language (French, whose
# letters are often silent, 0.69). A long text: English 0.92 to 1.5 by eSpeak and a natural voice, Spanish 0.97, German 0.91.
LEAST_OF_ESTIMATE = 2 / 3
LEAST_BY_LANGUAGE = {"de": 0.8, "en": 0.85, "es": 0.85, "pt": 0.85}
LONG_SECONDS = 60.0


class AudioAllowance:
    """The files of a batch have one together. For one thread, except `check`. Streams need none: what is sent is not kept."""

    def __init__(self, most_seconds: float):
        self._most_seconds = most_seconds
        self._left_seconds = most_seconds

    def check(self, speech: Speech) -> None:
        """Raises AnswerTooLong for a text or recorded speech that cannot be said in what is left, or was asked to take longer.

        Blocks, for 20,000 characters some 20 ms.
        """
        if _least_seconds(speech) > self._left_seconds:
            raise AnswerTooLong(self._most_seconds)

    def take(self, seconds: float) -> None:
        """Seconds that have come. Raises AnswerTooLong where there are not so many left."""
        self._left_seconds -= seconds
        if self._left_seconds < 0:
            raise AnswerTooLong(self._most_seconds)

    def give_back(self, seconds: float) -> None:
        """Seconds that were taken for a file that was then not made: other items of a batch may still have them."""
        self._left_seconds += seconds


def _least_seconds(speech: Speech) -> float:
    options, source_seconds = speech.request.options, speech.request.source_seconds
    if source_seconds is not None:
        return repeated_seconds(source_seconds, options)
    own, reading = {option.name for option in speech.engine.options}, speech.reading
    asked = asked_seconds(options, own)
    if asked is not None:
        return asked
    assert reading is not None  # as of every text
    return _least_share(reading.text, options.get("language")) * estimated_seconds(reading.text, options, own) + reading.silence_seconds


def _least_share(text: str, language: object) -> float:
    if spoken_seconds(text) < LONG_SECONDS:
        return LEAST_OF_ESTIMATE
    base = str(language or guess_language(text)).partition("-")[0]
    return LEAST_BY_LANGUAGE.get(base, LEAST_OF_ESTIMATE)
