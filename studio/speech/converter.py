"""Converter: chooses the engine that converts recorded speech. Some engines can, others cannot."""

from collections.abc import Callable, Iterable, Sequence

from engines.contract.contract import EngineInfo
from engines.errors import ConversionUnsupported
from studio.running.lifecycle import EngineStatus

__all__ = ["check_converts", "chosen_converter"]

OUT_OF_ORDER = ("unavailable", "failed", "closed")


def check_converts(info: EngineInfo, others: Iterable[EngineInfo] = ()) -> None:
    """Raises ConversionUnsupported where it does not; others: on offer, of which those that do are named."""
    if info.converts:
        return
    fact, able = f"{info.title} does not convert recorded speech.", tuple(other.title for other in others if other.converts)
    if not able:
        raise ConversionUnsupported(fact, "Choose an engine that does.", engine=info.title)
    hint = f"Choose {' or '.join(able)}."
    raise ConversionUnsupported(fact, hint, sentence="conversion_by_others", engine=info.title, others=able)


def chosen_converter(statuses: Sequence[EngineStatus], default: str, suits: Callable[[EngineInfo], bool]) -> EngineInfo:
    """The engine for who named none: of those that convert the first that suits, the default one before all others and last what cannot be
    opened. Where none suits, the first, which will say why.

    suits: whether it can be asked for the voice.

    Raises ConversionUnsupported where none converts.
    """
    able = [status for status in statuses if status.info.converts]
    if not able:
        fact, hint = "No engine here converts recorded speech.", "Ask whoever runs this studio for one that does."
        raise ConversionUnsupported(fact, hint, sentence="conversion_by_none")
    able.sort(key=lambda status: (status.state in OUT_OF_ORDER, status.info.id != default))
    return next((status.info for status in able if suits(status.info)), able[0].info)
