"""Errors of the doors of evaluations: what was asked for, and how it was sent."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = [
    "EvaluationArchiveUnusable",
    "EvaluationFigureUnknown",
    "EvaluationFileUnknown",
    "EvaluationIncomplete",
    "EvaluationLanguageUnknown",
    "EvaluationListTooLong",
    "EvaluationMeasureUnknown",
    "EvaluationNotBegun",
    "EvaluationSystemUnknown",
    "EvaluationSystemUnreadable",
    "EvaluationTestEmpty",
]


class EvaluationIncomplete(StudioError, CallerMistake):
    """sentence: what there is none of. names: of what there is, or of the system."""

    code = "evaluation_incomplete"


class EvaluationListTooLong(StudioError, CallerMistake):
    """what: "voices" or "texts", of which it would have n."""

    code = "evaluation_list_too_long"

    def __init__(self, what: str, n: int, most: int):
        super().__init__(sentence="evaluation_too_many_voices" if what == "voices" else "evaluation_too_many_texts", n=n, most=most)


class EvaluationLanguageUnknown(StudioError, CallerMistake):
    """The built-in texts have none of that language. nearest: codes that are spelt alike; known: all."""

    code = "evaluation_language_unknown"
    parameter = "languages"

    def __init__(self, name: str, nearest: tuple[str, ...], known: tuple[str, ...]):
        super().__init__(name=name, names=", ".join(nearest or known))


class EvaluationMeasureUnknown(StudioError, CallerMistake):
    """No family of figures has that name."""

    code = "evaluation_measure_unknown"
    parameter = "measures"

    def __init__(self, name: str, nearest: tuple[str, ...], known: tuple[str, ...]):
        super().__init__(name=name, names=", ".join(nearest or known))


class EvaluationFigureUnknown(StudioError, CallerMistake):
    """No figure has that name. known: all."""

    code = "evaluation_figure_unknown"
    parameter = "figure"

    def __init__(self, name: str, known: tuple[str, ...]):
        super().__init__(name=name, names=", ".join(known))


class EvaluationSystemUnreadable(StudioError, CallerMistake):
    """text: of `ENGINE:label:option=value`, which says something else."""

    code = "evaluation_system_unreadable"
    parameter = "engines"

    def __init__(self, text: str):
        super().__init__(name=text)


class EvaluationSystemUnknown(StudioError, CallerMistake):
    """The evaluation has no system of that id or label, or fewer than two are named. names: those that it has."""

    code = "evaluation_system_unknown"
    parameter = "systems"

    def __init__(self, name: str, names: tuple[str, ...]):
        super().__init__(name=name, names=", ".join(names))


class EvaluationFileUnknown(StudioError, CallerMistake):
    """A voice, or a system, is a file that was not sent. names: of those that were."""

    code = "evaluation_file_unknown"
    parameter = "clips"

    def __init__(self, name: str, names: tuple[str, ...]):
        super().__init__(name=name, names=", ".join(names) or "–")


class EvaluationArchiveUnusable(StudioError, CallerMistake):
    """An archive of sounds that is none, or that could do harm. detail: what is wrong, in English, for programs."""

    code = "evaluation_archive_unusable"
    parameter = "files"


class EvaluationNotBegun(StudioError, CallerMistake):
    """A report is wanted of a plan that was never begun here."""

    code = "evaluation_not_begun"
    parameter = "report_only"


class EvaluationTestEmpty(StudioError, CallerMistake):
    """No text was said by all the systems with a sound that a listening test takes. n_skipped: that are too long or too short."""

    code = "evaluation_test_empty"
    parameter = "systems"

    def __init__(self, n_skipped: int):
        super().__init__(n=n_skipped)
