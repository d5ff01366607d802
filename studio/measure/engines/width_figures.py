"""Figures of one engine at one width, in little time: `python -m studio.measure.engines.width_figures --engine ID --size SIZE --width 8`.

A part of model_figures, which compares widths and turns: one engine is opened, with the load options that are given, such as
`--load-options '{"fused": false}'`, and drawn weights. Frame time, audio per second, first audio alone and beside all others, memory; and
with --kernels which kernels take the time of a speech of all rows. The last line is JSON.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from engines.catalog import engine_ids, engine_sizes, open_random_engine
from engines.contract.contract import Engine
from engines.kit.gauges.device_figures import kernel_times, used_device_bytes
from studio.measure.engines.device_work import said
from studio.measure.engines.model_figures import Speeches, has_width, measure_width, prepared_prompt
from studio.measure.server.machine import describe_machine

__all__ = ["main"]

GIGABYTE = 10**9
MOST_NAMES = 12  # of kernels that are told by name
COLUMNS = (
    "engine", "rows", "load options", "step ms", "audio s/s alone", "of all", "first audio ms alone", "beside all others", "all at once",
    "kernels a frame", "GB held", "GB of graphs", "GB at most", "GB of the device",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one engine."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--engine", choices=[name for name in engine_ids() if engine_sizes(name)], required=True)
    parser.add_argument("--size", help="the engine's first one where none is given")
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--load-options", type=json.loads, default={}, help="JSON: more of what the engine is opened with")
    parser.add_argument("--device", help='"cpu" or "cuda:0"; the engine\'s own choice if not said')
    parser.add_argument("--dtype", help="the engine's own choice if not said")
    parser.add_argument("--frames", type=int, help="of audio that each stream speaks; 5 s of them if not said")
    parser.add_argument("--kernels", action="store_true", help="also which kernels take the time")
    asked = parser.parse_args(arguments)
    size = asked.size or engine_sizes(asked.engine)[0]
    options = ({"width": asked.width} if has_width(asked.engine) else {}) | asked.load_options
    engine = open_random_engine(asked.engine, size, device=asked.device, dtype=asked.dtype, options=options)
    figures = {"engine": asked.engine, "size": size, "load_options": asked.load_options, "device": engine.device, "dtype": asked.dtype}
    try:
        figures |= _measured(engine, asked.frames) | {"kernels": _kernels(engine, asked.frames) if asked.kernels else None}
    finally:
        engine.close()
    print(_row(COLUMNS), _row(["---"] * len(COLUMNS)), _row(_cells(figures)), sep="\n")
    if figures["kernels"]:
        print("\n| kernel | ms | times |\n| --- | --- | --- |")
        for name, (seconds, times) in list(figures["kernels"].items())[:MOST_NAMES]:
            print(f"| {name[:80].replace('|', '/')} | {1000 * seconds:.2f} | {times} |")
    print(json.dumps(figures | {"machine": describe_machine()}))
    return 0


def _measured(engine: Engine, n_frames: int | None) -> dict[str, object]:
    width = engine.width
    measured = measure_width(engine, sorted({1, width}), n_frames)
    graphs = getattr(getattr(engine, "_graphs", None), "bytes_of", {})
    return {
        "width": width,
        **measured,
        "step_seconds": measured["frame_seconds"] * width / measured["audio_per_second"][str(width)],
        "graph_bytes": {said(key): n_bytes for key, n_bytes in graphs.items()},
        "used_device_bytes": used_device_bytes(engine.device),
    }


def _kernels(engine: Engine, n_frames: int | None) -> Mapping[str, tuple[float, int]] | None:
    """Of a speech of all rows."""
    return kernel_times(partial(Speeches(engine, prepared_prompt(engine), n_frames).audio_per_second, engine.width), engine.device)


def _cells(figures: Mapping) -> list[str]:
    n, options = str(figures["width"]), figures["load_options"]
    beside, at_once = (figures[name].get(n) for name in ("ttfp_newcomer_seconds", "ttfp_all_at_once_seconds"))
    sizes = [
        figures["engine_memory_bytes"],
        sum(figures["graph_bytes"].values()),
        figures["peak_device_bytes"],
        figures["used_device_bytes"],
    ]
    kernels = figures["kernels_per_frame"]
    return [
        f"{figures['engine']} {figures['size']}",
        n,
        ", ".join(f"{name}: {value}" for name, value in options.items()) or "-",
        f"{1000 * figures['step_seconds']:.2f}",
        *(f"{figures['audio_per_second'][count]:.1f}" for count in ("1", n)),
        *("-" if seconds is None else f"{1000 * seconds:.1f}" for seconds in (figures["ttfp_seconds"], beside, at_once)),
        "-" if kernels is None else f"{kernels:.0f}",
        *("-" if n_bytes is None else f"{n_bytes / GIGABYTE:.2f}" for n_bytes in sizes),
    ]


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    sys.exit(main())
