"""Sound names: the path of each sound in a report's folder. They say what it is, and every system takes them."""

from collections.abc import Callable, Iterable, Mapping

from engines.durable import fit_name
from studio.evaluations.plan.cell import CellKey
from studio.evaluations.plan.evaluation import EvaluationData

__all__ = ["FOLDER", "sound_names"]

FOLDER = "sounds"


def sound_names(data: EvaluationData) -> Mapping[CellKey, str]:
    """Cell with a sound -> `sounds/<system>/<voice>/<text>-<seed>.flac`, with slashes. Ids that differ in capitals alone, which Windows and
    macOS take for one, have a number behind them."""
    plan = data.evaluation.plan
    system, voice, text = (_named(one.id for one in those) for those in (plan.systems, plan.voices, plan.texts))
    return {
        cell.key: f"{FOLDER}/{system(cell.key.system)}/{voice(cell.key.voice)}/{text(cell.key.text)}-{cell.key.seed}.flac"
        for cell in data.cells
        if cell.said.sound is not None
    }


def _named(ids: Iterable[str]) -> Callable[[str], str]:
    """Windows cuts dots at the end, and others hide what begins with one."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for id_ in ids:
        name = plain = fit_name(id_.strip(".") or "_")
        number = 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name.casefold())
        names[id_] = name
    return names.__getitem__
