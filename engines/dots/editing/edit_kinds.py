"""What dots.tts.edit can change of what is said in a recording, as data. No torch here.

Values and their ranges are the makers' (edit_instruction.py of dots.tts 0.3.1, and the page beside it, which bounds what that one takes).
"""

from typing import Final

from engines.contract.editing import EditKind
from engines.contract.options import Option

__all__ = ["BACKGROUND", "DENOISE", "EDIT_KINDS", "EMOTION", "INSERT", "PACE", "PAUSE", "PITCH", "REMOVE", "REPLACE"]

REPLACE: Final = "replace"
REMOVE: Final = "remove"
INSERT: Final = "insert"
EMOTION: Final = "emotion"
PITCH: Final = "pitch"
PACE: Final = "pace"
PAUSE: Final = "pause"
DENOISE: Final = "denoise"
BACKGROUND: Final = "background"

_EMOTIONS = ("happy", "angry", "sad", "afraid", "disgusted", "melancholic", "surprised", "calm")
_MOST_DESCRIPTION_CHARACTERS = 200


def _level(summary: str) -> Option:
    return Option("level", "int", 2, summary, minimum=1, maximum=3)


EDIT_KINDS = (
    EditKind(REPLACE, "stretch", "Say other words there.", takes_text=True, changes_words=True),
    EditKind(REMOVE, "stretch", "Leave these words out.", changes_words=True),
    EditKind(INSERT, "point", "Say more words there.", takes_text=True, changes_words=True),
    EditKind(
        EMOTION, "stretch", "Say it with another emotion.",
        options=(
            Option("type", "choice", "", "The emotion.", choices=("", *_EMOTIONS), labels=("as described", *_EMOTIONS)),
            _level("How strong it is."),
            Option("description", "text", "", "The emotion in words, in place of one of the list.", maximum=_MOST_DESCRIPTION_CHARACTERS),
        ),
    ),
    EditKind(
        PITCH, "stretch", "Say it higher or lower.",
        options=(Option("semitones", "choice", "5", "By how much.", choices=("-9", "-7", "-5", "5", "7", "9"), unit="semitones"),),
    ),
    EditKind(
        PACE, "stretch", "Say it faster or slower.",
        options=(Option("factor", "float", 1.25, "Times as fast; not 1.", minimum=0.55, maximum=1.95),),
    ),
    EditKind(
        PAUSE, "point", "Make a pause longer or shorter.",
        options=(
            Option("act", "choice", "insert", "Whether there is more of it, or less.", choices=("insert", "shorten")),
            _level("By how much: about 0.2, 0.5 or 0.8 seconds."),
        ),
    ),
    EditKind(DENOISE, "whole", "Take the noise away."),
    EditKind(BACKGROUND, "whole", "Say it with what sounds behind it. The makers do not describe this further."),
)  # fmt: skip
