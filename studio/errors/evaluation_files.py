"""Errors of what people bring to evaluate by: lists of texts, folders of recordings, sounds of other systems."""

from studio.errors.evaluations import EvaluationMistake

__all__ = ["EvaluationSoundsUnusable", "EvaluationSpeakersUnusable", "EvaluationTextsUnusable"]


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
