"""An evaluation of figures that a test writes down: system -> voice -> text -> value."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from studio.evaluations.plan.cell import CellKey, CellMeasures, EvaluatedCell, KeptSound, SaidCell, SystemRun
from studio.evaluations.plan.evaluation import Evaluation, EvaluationData
from studio.evaluations.plan.plan import EvaluationPlan, EvaluationSystem, EvaluationText, EvaluationVoice

__all__ = ["REFUSED", "Made", "made_evaluation", "of_texts", "turned"]

REFUSED = None  # in the place of figures
Figures = Mapping[str, float] | None
Made = Mapping[tuple[str, str, str, int], Figures]  # system, voice, text, seed


def made_evaluation(
    made: Made,
    *,
    n_words: Mapping[str, int] | int = 10,
    languages: Mapping[str, str] | None = None,
    toys: Sequence[str] = (),
    machine: Mapping[str, str] | None = None,
) -> EvaluationData:
    """n_words: of each text, or of all. languages: of texts that are not English."""
    systems = tuple(dict.fromkeys(key[0] for key in made))
    voices = tuple(dict.fromkeys(key[1] for key in made))
    texts = tuple(dict.fromkeys(key[2] for key in made))
    seeds = tuple(dict.fromkeys(key[3] for key in made))
    plan = EvaluationPlan(
        systems=tuple(EvaluationSystem(id=name, label=name.upper(), engine=name) for name in systems),
        voices=tuple(EvaluationVoice(id=name, label=name) for name in voices),
        texts=tuple(EvaluationText(id=name, text=f"Text {name}.", language=(languages or {}).get(name, "en")) for name in texts),
        seeds=seeds,
    )
    cells = tuple(_cell(CellKey(*key), figures, n_words if isinstance(n_words, int) else n_words[key[2]]) for key, figures in made.items())
    evaluation = Evaluation("made", plan, 0.0, 0.0, "done", len(cells), machine=machine or {"processor": "one"})
    return EvaluationData(evaluation, cells, (), tuple(SystemRun(name, is_toy=True) for name in toys), (), "whisper")


def of_texts(values: Mapping[str, Sequence[float]], figure: str = "likeness", voice: str = "v") -> Made:
    """system -> its values of texts t0, t1 ... in one voice."""
    return {(name, voice, f"t{number}", 0): {figure: value} for name, row in values.items() for number, value in enumerate(row)}


def turned(data: EvaluationData) -> EvaluationData:
    """The same cells in the opposite order."""
    return replace(data, cells=data.cells[::-1])


def _cell(key: CellKey, figures: Figures, n_words: int) -> EvaluatedCell:
    if figures is None:
        return EvaluatedCell(SaidCell(key, refused={"message": "No.", "hint": "", "reason_code": "language_unknown"}))
    sound = KeptSound("/".join(map(str, (*key, sorted(figures.items())))), 1, 24_000, 1.0)
    return EvaluatedCell(SaidCell(key, sound), CellMeasures(figures, None, n_words))
