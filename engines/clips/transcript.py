"""Checks of a recording's words, for engines that read them together with its sound: they are there, and short enough."""

from collections.abc import Callable, Sequence

from engines.clips.clip import Transcript
from engines.errors import TextUnspeakable, TranscriptMismatch, TranscriptRequired

__all__ = ["check_words", "wanted_words"]

WORDS_WANTED = "Send the words of the recording as well: ref_text, or the voice's transcript."


def wanted_words(transcript: Transcript | None, title: str) -> Transcript:
    """The transcript, if it says anything. title: of the engine. Raises TranscriptRequired."""
    if transcript is None or not transcript.text.strip():
        raise TranscriptRequired(hint=WORDS_WANTED, engine=title)
    return transcript


def check_words(lines: Sequence[str], ids_of: Callable[[str], list[int]], most_tokens: int) -> None:
    """lines: of each recording. ids_of: its tokens. Raises TranscriptMismatch for words that cannot be read, or are too many in all."""
    try:
        n_tokens = sum(len(ids_of(line)) for line in lines)
    except TextUnspeakable as error:
        raise TranscriptMismatch(sentence="text_with_control_token", token=error.values["token"]) from error
    if n_tokens > most_tokens:
        raise TranscriptMismatch(sentence="transcript_too_long", n=n_tokens, most=most_tokens)
