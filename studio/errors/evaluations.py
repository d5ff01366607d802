"""Errors of evaluations: why one cannot be made, run or read."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = [
    "EvaluationFailed",
    "EvaluationLent",
    "EvaluationLimitReached",
    "EvaluationMistake",
    "EvaluationNotBrought",
    "EvaluationOwnerUnknown",
    "EvaluationRecordingUnknown",
    "EvaluationSoundDamaged",
    "EvaluationSoundUnknown",
    "EvaluationSoundsUnusable",
    "EvaluationSpeakerTensor",
    "EvaluationSpeakersUnusable",
    "EvaluationTextsUnusable",
    "EvaluationTooLarge",
    "EvaluationUnknown",
    "EvaluationsNewer",
    "EvaluationsUnreadable",
]


class EvaluationMistake(StudioError, CallerMistake):
    """Of an evaluation."""


class EvaluationUnknown(EvaluationMistake):
    """There is none of that id, or it is somebody else's: nobody can tell which."""

    code = "evaluation_unknown"
    status = 404
    parameter = "evaluation"


class EvaluationOwnerUnknown(EvaluationMistake):
    """Visitors are kept apart, and a request that would make an evaluation does not say whose it is."""

    code = "evaluation_owner_unknown"
    status = 403


class EvaluationLimitReached(EvaluationMistake):
    """limit: evaluations that one workspace may have."""

    code = "evaluation_limit_reached"
    status = 409

    def __init__(self, limit: int):
        super().__init__(n=limit)


class EvaluationTooLarge(EvaluationMistake):
    """It would have n sounds."""

    code = "evaluation_too_large"

    def __init__(self, n: int, most: int):
        super().__init__(n=n, most=most)


class EvaluationLent(EvaluationMistake):
    """The engine borrows a GPU for each request, and a time that was waited for tells nothing of it."""

    code = "evaluation_lent"
    status = 409

    def __init__(self, engine: str):
        super().__init__(engine=engine)


class EvaluationSoundUnknown(EvaluationMistake):
    """The evaluation has none of that hash."""

    code = "evaluation_sound_unknown"
    status = 404
    parameter = "sound"


class EvaluationSpeakerTensor(EvaluationMistake):
    """A stored voice has no recording, which an engine could learn from and figures could be beside: it is numbers of another tool."""

    code = "evaluation_voice_tensor"
    parameter = "voice"

    def __init__(self, name: str):
        super().__init__(name=name)


class EvaluationNotBrought(EvaluationMistake):
    """A system without an engine has no sound for a text."""

    code = "evaluation_not_brought"


class EvaluationRecordingUnknown(EvaluationMistake):
    """The recording of a voice, or of a text, is not in the evaluation any more: its owner deleted it."""

    code = "evaluation_recording_unknown"
    status = 404


class EvaluationSoundDamaged(StudioError):
    """Its file is gone, or is not what was kept."""

    code = "evaluation_sound_damaged"


class EvaluationFailed(StudioError):
    """It did not go on; the log has why."""

    code = "evaluation_failed"


class EvaluationsUnreadable(StudioError):
    """The file that keeps all evaluations is damaged, or of something else. It is left as it is."""

    code = "evaluations_unreadable"
    status = 503


class EvaluationsNewer(StudioError):
    """The file that keeps all evaluations was written by a later version. It is left as it is. version: of the file's form."""

    code = "evaluations_newer"
    status = 503

    def __init__(self, version: int):
        super().__init__(n=version)


class EvaluationTextsUnusable(EvaluationMistake):
    """sentence: which fact it is, with its values."""

    code = "evaluation_texts_unusable"
    parameter = "texts"


class EvaluationSpeakersUnusable(EvaluationMistake):
    """The same of a folder of recordings."""

    code = "evaluation_voices_unusable"
    parameter = "voices"


class EvaluationSoundsUnusable(EvaluationMistake):
    """The same of a folder of sounds that another system made."""

    code = "evaluation_sounds_unusable"
    parameter = "files"
