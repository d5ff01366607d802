"""EngineCosts: the time that one engine takes for a request, and the source of each figure. `engine_costs.json` holds them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

__all__ = ["EngineCosts", "costs_of_figures", "known_costs"]

KNOWN = Path(__file__).with_name("engine_costs.json")


@dataclass(frozen=True)
class EngineCosts:
    """One engine on one device (a GPU, or so many cores). Times are seconds of its one thread, during which it does nothing else.

    basis: "measured", or "roofline": counted on a fake GPU, the end of its range that is worse. sources: where the figures are from.
    width: streams that one step serves. frame_seconds: of audio that a step gives each of them. step_seconds: streams in a step -> seconds.
    first_audio_seconds: from a stream's first turn to its first audio, alone, voice prepared. chunk_seconds: of audio in that.
    extract_seconds: of a clip of 10 s. prepare_seconds: to read a prompt into what the device keeps. disk_seconds: to fetch a prompt
    from the shared folder, which no engine waits for. prompt_bytes, prepared_bytes: of one voice. prepared_voices: that a device keeps
    by default; 0 where it prepares none.
    """

    engine: str
    title: str
    device: str
    basis: str
    width: int
    frame_seconds: float
    step_seconds: Mapping[int, float]
    first_audio_seconds: float
    chunk_seconds: float
    extract_seconds: float
    prepare_seconds: float
    disk_seconds: float
    prompt_bytes: int
    prepared_bytes: int
    prepared_voices: int
    cores: int = 0
    sources: str = ""

    def step(self, n_streams: int) -> float:
        """Seconds of a step that serves so many; between what was measured by straight lines, beyond it as the widest."""
        known = sorted(self.step_seconds)
        return float(np.interp(min(max(1, n_streams), self.width), known, [self.step_seconds[n] for n in known]))

    def rate(self, n_streams: int) -> float:
        """Engine seconds per second of audio where a step serves so many."""
        n = min(max(1, n_streams), self.width)
        return self.step(n) / (n * self.frame_seconds)

    @property
    def feeds_one(self) -> bool:
        """Whether it is faster than speech for a lone stream: else nobody hears a whole sentence without a gap."""
        return self.rate(1) < 1.0


def known_costs(path: Path = KNOWN) -> dict[str, EngineCosts]:
    """Of every engine whose figures are known, by the name that the command line takes."""
    return {name: _costs(entry) for name, entry in json.loads(path.read_text(encoding="utf-8"))["engines"].items()}


def costs_of_figures(figures: Mapping, known: EngineCosts) -> EngineCosts:
    """The same engine with the pace that `python -m studio.measure.engines.model_figures` measured elsewhere; what it does not say stays.

    Extraction, reading a voice and bytes are not among its figures: they are those of `known`, and the sources say so.
    """
    paces = {1: figures["turns"]["audio_per_second"]["1"]}
    paces |= {int(n): measured["audio_per_second"][n] for n, measured in figures["batched"].items()}
    machine = figures.get("machine", {})
    return replace(
        known,
        device=f"{figures['device']}, {machine.get('processor', 'unknown machine')}",
        basis="measured",
        width=max(paces),
        frame_seconds=figures["frame_seconds"],
        step_seconds={n: n * figures["frame_seconds"] / pace for n, pace in paces.items()},
        first_audio_seconds=figures["ttfp_seconds"],
        chunk_seconds=figures["frame_seconds"],
        sources=f"model_figures at revision {machine.get('revision')}; extraction, reading a voice and bytes: {known.sources}",
    )


def _costs(entry: Mapping) -> EngineCosts:
    names = {field.name for field in fields(EngineCosts)}
    steps = {int(n): seconds for n, seconds in entry["step_seconds"].items()}
    return EngineCosts(**{name: value for name, value in entry.items() if name in names} | {"step_seconds": steps})
