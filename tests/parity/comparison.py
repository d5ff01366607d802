"""What the sides of `tests.parity.beside` measured, as one table."""

from collections.abc import Callable, Iterable

import numpy as np

__all__ = ["ROWS", "comparison_table", "merged", "rows_of_streams"]


def merged(rounds: list[dict | None]) -> dict | None:
    """What a side measured in several rounds as if it were one: lists one after another, of single numbers the median."""
    if None in rounds:
        return None
    whole = dict(rounds[-1])
    for name, value in whole.items():
        values = [measured[name] for measured in rounds]
        if isinstance(value, list):
            whole[name] = [number for each in values for number in each]
        elif isinstance(value, (int, float)):
            whole[name] = float(np.median(values))
    return whole


def comparison_table(figures: dict) -> str:
    """A row per figure, a column per side, and ours as a ratio of each other one."""
    sides = [name for name, measured in figures.items() if isinstance(measured, dict) and "first_audio_seconds" in measured]
    machine, scenario = figures["machine"], figures["scenario"]
    cores = scenario["n_cores"] or "all"
    lines = [
        f"{figures['title']} {figures['size']}, random weights, {scenario['device']} {scenario['dtype']}, {scenario['threads']} threads, "
        f"{cores} cores, {scenario['n_frames']} frames; {machine['processor']}, load {machine['load_average']}, "
        f"revision {machine['revision']}",
        "| | " + " | ".join([*sides, *(f"ours / {side}" for side in sides[1:])]) + " |",
        "|---" * 2 * len(sides) + "|",
    ]
    for title, read in {**ROWS, **rows_of_streams(scenario["n_streams"])}.items():
        values = [read(figures[side]) for side in sides]
        cells = ["-" if value is None else _shown(value) for value in values]
        cells += [f"{values[0] / value:.3f}" if values[0] and value else "-" for value in values[1:]]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _middle(name: str, percentile: float = 50):
    def read(side: dict) -> float | None:
        return float(np.percentile(side[name], percentile)) if side.get(name) else None

    return read


def _real_time_factor(side: dict) -> float:
    return float(np.median(side["speech_seconds"])) / side["audio_seconds"]


def _processor_factor(side: dict) -> float:
    return float(np.median(side["speech_processor_seconds"])) / side["audio_seconds"]


def rows_of_streams(numbers: Iterable[int]) -> dict[str, Callable[[dict], float | None]]:
    """For each number of speeches at once: what a listener of any waits, and what they cost."""

    def per_second(name: str, n: int):
        seconds = _middle(name)
        return lambda side: seconds(side) and seconds(side) / (n * side["audio_seconds"])

    rows = {}
    for n in numbers:
        rows |= {
            f"{n} at once: first audio of the last p50, s": _middle(f"first_audio_of_{n}_seconds"),
            f"{n} at once: real-time factor of each": per_second(f"speech_of_{n}_seconds", 1),
            f"{n} at once: processor time per second of audio": per_second(f"speech_of_{n}_processor_seconds", n),
        }
    return rows


ROWS = {
    "cold start, s": lambda side: side["cold_start_seconds"],
    "cold start, processor time, s": lambda side: side["cold_start_processor_seconds"],
    "cold start and warm-up, s": lambda side: side.get("cold_start_and_warm_up_seconds"),
    "first extraction, s": lambda side: side["first_extraction_seconds"],
    "extraction p50, s": _middle("extraction_seconds"),
    "prepare, s": lambda side: side.get("prepare_seconds"),
    "first audio, voice prepared, p50, s": _middle("first_audio_seconds"),
    "first audio, voice prepared, p95, s": _middle("first_audio_seconds", 95),
    "first audio, voice never seen, p50, s": _middle("cold_first_audio_seconds"),
    "first audio, voice never seen, p95, s": _middle("cold_first_audio_seconds", 95),
    "whole speech p50, s": _middle("speech_seconds"),
    "whole speech, processor time p50, s": _middle("speech_processor_seconds"),
    "real-time factor": _real_time_factor,
    "real-time factor by processor time": _processor_factor,
    "longest step, ms": lambda side: side.get("longest_step_seconds") and 1000 * float(np.median(side["longest_step_seconds"])),
    "per frame after the first audio, ms": lambda side: side.get("frame_seconds") and 1000 * float(np.median(side["frame_seconds"])),
    "first audio of a conversion, s": lambda side: side.get("conversion_first_audio_seconds"),
    "real-time factor of a conversion": lambda side: side.get("conversion_real_time_factor"),
    "kernels per frame": lambda side: side.get("kernels_per_frame"),
    "peak host memory with mapped files, GB": lambda side: side["peak_host_bytes"] and side["peak_host_bytes"] / 1e9,
    "host memory of its own in the end, GB": lambda side: side["host_bytes"] and side["host_bytes"] / 1e9,
    "of it more than torch alone has, GB": lambda side: side["host_bytes"] and (side["host_bytes"] - side["torch_host_bytes"]) / 1e9,
    "peak device memory, GB": lambda side: side["peak_device_bytes"] and side["peak_device_bytes"] / 1e9,
}


def _shown(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
