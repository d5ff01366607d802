"""edit_limit: how long a recording may become when it is changed."""

from collections.abc import Mapping
from math import ceil

from engines.contract.editing import RecordingEdit
from engines.contract.options import Value, bool_option, int_option
from engines.dots.editing.edit_kinds import PAUSE
from engines.dots.editing.instruction import words_after
from engines.errors import EditInvalid
from engines.kit.decode.frame_limit import FrameLimit, frame_limit
from engines.text.spoken_length import most_spoken_seconds, spoken_seconds

__all__ = ["edit_limit"]

SLOWEST = 2.0  # times what the same words take at the recording's own pace; the makers slow down to 1 / 0.55
SPARE_SECONDS, PAUSE_SECONDS = 2.0, 1.0  # beside that; of each pause that is made longer


def edit_limit(change: RecordingEdit, n_source: int, room: int, options: Mapping[str, Value], patches_per_second: float) -> FrameLimit:
    """As many patches as the words after it may take, were asked for and have room.

    n_source: patches of the recording. room: beside it. Raises EditInvalid where it is less than the words take at the recording's pace.
    """
    words, seconds = words_after(change), n_source / patches_per_second
    expected = seconds * spoken_seconds(words) / max(spoken_seconds(change.words), 1e-3)
    if room < int(expected * patches_per_second):
        most = seconds + max(0, room) / patches_per_second
        raise EditInvalid(sentence="edit_too_long", seconds=seconds, expected_seconds=expected, most_seconds=most)
    n_pauses = sum(one.kind == PAUSE for one in change.operations)
    likely = SLOWEST * max(seconds, expected) + PAUSE_SECONDS * n_pauses + SPARE_SECONDS
    most_patches = ceil(max(likely, most_spoken_seconds(words)) * patches_per_second)
    heeds_words = bool_option(options, "runaway_guard")
    return frame_limit(
        words,
        frames_per_second=patches_per_second,
        asked=int_option(options, "max_patches"),
        room=room,
        heeds_text=False,
        by_tokens=most_patches if heeds_words else None,
    )
