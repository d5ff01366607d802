"""KnownEngine: what is known of an engine's times, measured where there is any such figure. `engine_costs.json` holds all figures."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from studio.measure.fleet.engine_costs import EngineCosts

__all__ = ["Basis", "Figure", "KnownEngine", "engine_of_figures", "known_engines"]

KNOWN = Path(__file__).with_name("engine_costs.json")
Basis = Literal["measured", "roofline", "estimate"]
BETTER_FIRST: tuple[Basis, ...] = ("measured", "roofline", "estimate")  # of one figure's several values, the first that is there counts
FACTS = ("frame_seconds", "prompt_bytes", "prepared_bytes", "prepared_voices")
Seconds = float | Mapping[int, float]  # one time, or that of a step by its streams


@dataclass(frozen=True)
class Figure:
    """One time of an engine. roofline: counted on a fake GPU, which no GPU has confirmed. better, worse: its ends, alike where it has one
    value. chunk_seconds: of audio that comes by it, of the first audio alone."""

    basis: Basis
    device: str
    source: str
    better: Seconds
    worse: Seconds
    chunk_seconds: float = 0.0


@dataclass(frozen=True)
class KnownEngine:
    """figures: name of a time of EngineCosts -> the figure that counts. facts: what EngineCosts has besides.

    too_kind: how many times longer than the worse end of a roofline GPUs took, where both are known.
    """

    title: str
    facts: Mapping[str, float]
    figures: Mapping[str, Figure]
    too_kind: float = 1.0

    @property
    def pace(self) -> Figure:
        """Of its steps, which decide how many replicas are needed."""
        return self.figures["step_seconds"]

    @cached_property
    def better(self) -> EngineCosts:
        """By the better end of every figure."""
        return self._costs({name: figure.better for name, figure in self.figures.items()})

    @cached_property
    def worse(self) -> EngineCosts:
        """By the worse end of every figure; of rooflines by what GPUs made of others."""
        return self._costs({name: _longer(figure.worse, self.slack(name)) for name, figure in self.figures.items()})

    def slack(self, name: str) -> float:
        """What the worse end of a figure is multiplied by."""
        return self.too_kind if self.figures[name].basis == "roofline" else 1.0

    def _costs(self, times: Mapping[str, Seconds]) -> EngineCosts:
        chunk = self.figures["first_audio_seconds"].chunk_seconds
        return EngineCosts(
            frame_seconds=self.facts["frame_seconds"],
            step_seconds=_by_streams(times["step_seconds"]),
            first_audio_seconds=_once(times["first_audio_seconds"]),
            chunk_seconds=chunk,
            extract_seconds=_once(times["extract_seconds"]),
            prepare_seconds=_once(times.get("prepare_seconds", 0.0)),
            disk_seconds=_once(times["disk_seconds"]),
            prompt_bytes=int(self.facts["prompt_bytes"]),
            prepared_bytes=int(self.facts["prepared_bytes"]),
            prepared_voices=int(self.facts["prepared_voices"]),
        )


def known_engines(path: Path = KNOWN) -> dict[str, KnownEngine]:
    """Every engine whose figures are known, by the name that the command line takes."""
    data = json.loads(path.read_text(encoding="utf-8"))
    read = {name: _read(data["figures"] | entry["figures"], entry["frame_seconds"]) for name, entry in data["engines"].items()}
    too_kind = max([1.0, *(ratio for known in read.values() for ratio in _too_kind(known["step_seconds"]))])
    return {name: _known(entry, read[name], too_kind) for name, entry in data["engines"].items()}


def engine_of_figures(figures: Mapping, known: KnownEngine) -> KnownEngine:
    """The same engine with the pace that `python -m studio.measure.engines.model_figures` measured elsewhere; all else stays."""
    paces = {1: figures["turns"]["audio_per_second"]["1"]}
    paces |= {int(n): measured["audio_per_second"][n] for n, measured in figures["batched"].items()}
    machine, frame = figures.get("machine", {}), figures["frame_seconds"]
    device, source = f"{figures['device']}, {machine.get('processor', 'unknown machine')}", f"model_figures at {machine.get('revision')}"
    steps = {n: n * frame / pace for n, pace in paces.items()}
    measured = {
        "step_seconds": Figure("measured", device, source, steps, steps),
        "first_audio_seconds": Figure("measured", device, source, figures["ttfp_seconds"], figures["ttfp_seconds"], frame),
    }
    return replace(known, facts={**known.facts, "frame_seconds": frame}, figures={**known.figures, **measured})


def _read(figures: Mapping[str, list[Mapping]], frame_seconds: float) -> dict[str, dict[Basis, Figure]]:
    """All that is known of each time, by what it rests on."""
    return {name: {entry["basis"]: _figure(entry, frame_seconds) for entry in entries} for name, entries in figures.items()}


def _figure(entry: Mapping, frame_seconds: float) -> Figure:
    better: Seconds
    worse: Seconds
    if paces := entry.get("audio_per_second"):
        better, worse = ({int(n): int(n) * frame_seconds / _ends(pace)[end] for n, pace in paces.items()} for end in (0, 1))
    elif isinstance(seconds := entry["seconds"], Mapping):
        better, worse = ({int(n): _ends(value)[end] for n, value in seconds.items()} for end in (0, 1))
    else:
        better, worse = _ends(seconds)
    return Figure(entry["basis"], entry["device"], entry["source"], better, worse, entry.get("chunk_seconds", 0.0))


def _ends(value: float | list[float]) -> tuple[float, float]:
    """The better and the worse one."""
    better, worse = value if isinstance(value, list) else (value, value)
    return better, worse


def _once(seconds: Seconds) -> float:
    """Of what is one time. Raises TypeError for those of a step."""
    if isinstance(seconds, Mapping):
        raise TypeError("times of a step where one time is wanted")
    return seconds


def _by_streams(seconds: Seconds) -> Mapping[int, float]:
    """Of what is the times of a step, by its streams. Raises TypeError for one time."""
    if not isinstance(seconds, Mapping):
        raise TypeError("one time where those of a step are wanted")
    return seconds


def _too_kind(known: Mapping[Basis, Figure]) -> list[float]:
    """Measured seconds per second of audio over those of the roofline, both of the widest step; empty where one of them is not known."""
    if not {"measured", "roofline"} <= known.keys():
        return []
    measured, roofline = (_by_streams(known[basis].worse) for basis in BETTER_FIRST[:2])
    return [measured[max(measured)] / max(measured) / (roofline[max(roofline)] / max(roofline))]


def _known(entry: Mapping, read: Mapping[str, Mapping[Basis, Figure]], too_kind: float) -> KnownEngine:
    counts = {name: next(known[basis] for basis in BETTER_FIRST if basis in known) for name, known in read.items()}
    return KnownEngine(entry["title"], {name: entry[name] for name in FACTS}, counts, too_kind)


def _longer(seconds: Seconds, times: float) -> Seconds:
    return {n: value * times for n, value in seconds.items()} if isinstance(seconds, Mapping) else seconds * times
