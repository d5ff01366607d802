"""Why a figure cannot be had of a sound: sentences for whoever reads a report, and the signals by which measures say so."""

__all__ = [
    "FAILED", "NOTHING_HEARD", "NOTHING_SAID", "NOT_FINITE", "NO_LUFS", "NO_PITCH", "NO_RECORDING", "NO_SOUND", "NO_WORDS",
    "QUIETER_THAN_LUFS", "TOO_SHORT", "MeasureLacking", "MeasuringStopped",
]  # fmt: skip

NO_SOUND = "The sound is empty."
NOT_FINITE = "The sound has samples that are no numbers. Export it again."
NOTHING_HEARD = "Nothing is heard in the sound."
NOTHING_SAID = "Nothing is said in the sound."
TOO_SHORT = "The sound is shorter than 0.1 s, too short to judge."
NO_LUFS = "The sound is shorter than 0.4 s, one block of ITU-R BS.1770: it has no integrated loudness."
QUIETER_THAN_LUFS = "The sound is quieter than -70 LUFS, where integrated loudness begins (ITU-R BS.1770)."
NO_RECORDING = "There is no recording of this voice."
NO_PITCH = "The sound, or the recording of its voice, has less than 0.2 s with a pitch."
NO_WORDS = "The text has no words."
FAILED = "This could not be estimated; the studio's log says more."


class MeasureLacking(Exception):
    """A family cannot be had of a sound: str() says why."""


class MeasuringStopped(Exception):
    """Whoever measures was stopped, or the studio closes."""
