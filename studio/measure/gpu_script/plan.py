"""GpuPart: one command of the plan, how long it may take, and its counts on a fake GPU. gpu_plan: all of them, in order of worth."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.catalog import engine_info

__all__ = ["LAYERS_OPTION", "GpuPart", "Sized", "gpu_plan"]

Sized = tuple[str, str]  # an engine of the catalog, and one of its released sizes

LAYERS_OPTION, BESIDE_OPTION = "layers", "codec_beside"  # load options: how layers are computed, and whether the codec runs beside frames
OPEN_LOOP = ("--rates", "1", "10", "20", "--requests", "40", "--warm", "2")
# Drawn weights never end their speech: some 5 s, as long as the texts take to be read, and nothing that is drawn is a fault.
OF_DRAWN = json.dumps({"max_new_tokens": 64, "extra_params": {"runaway_guard": False}})
ENGINES = "studio.measure.engines"


@dataclass(frozen=True)
class GpuPart:
    """module, arguments: what Python runs. most_seconds: it is stopped then. rehearsal: module and arguments of its counts; () for none.

    json_file: that the command writes; None where its last line is JSON.
    """

    name: str
    module: str
    arguments: tuple[str, ...]
    most_seconds: float
    rehearsal: tuple[str, ...] = ()
    json_file: Path | None = None

    @property
    def command(self) -> tuple[str, ...]:
        """Behind `python -m`."""
        return self.module, *self.arguments


def gpu_plan(folder: Path, first: Sequence[Sized], others: Sequence[Sized]) -> tuple[GpuPart, ...]:
    """What is worth most comes first. folder: for files that parts write.

    first: engines that are asked over HTTP; the first of them at more widths, and in all ways of its layers. others: at widths 8 and 32.
    """
    main = first[0]
    names = list(dict.fromkeys(name for name, _ in (*first, *others)))
    return (
        GpuPart("self-checks of all engines", f"{ENGINES}.kernel_checks", ("--engines", *names), 90),
        *(_open_loop(*each, folder) for each in first),
        *_layer_ways(*main),
        *(_width(*main, width, 45) for width in (16, 32)),
        *(_width(*each, width, 60) for each in others for width in (8, 32)),
        GpuPart("time of attention", f"{ENGINES}.width_figures", (*_of(*main, 8), "--kernels"), 45),
    )


def _open_loop(name: str, size: str, folder: Path) -> GpuPart:
    file = folder / f"open_loop_{name}_{size}.json"
    arguments = ("--engine", name, "--drawn", size, *OPEN_LOOP, "--body", OF_DRAWN, "--json", str(file))
    return GpuPart(f"open loop, {name} {size}", "studio.measure.open_loop", arguments, 120, json_file=file)


def _layer_ways(name: str, size: str) -> list[GpuPart]:
    """Frame times at width 8 by every way of the layers that the engine has, and with the codec beside the next frame, where it can be."""
    known = {option.name: option for option in engine_info(name).load_options}
    layers = known[LAYERS_OPTION].choices if LAYERS_OPTION in known else ()
    parts = [_width(name, size, 8, 45, {LAYERS_OPTION: way}) for way in layers]
    return [*parts, _width(name, size, 8, 45, {BESIDE_OPTION: True})] if BESIDE_OPTION in known else parts


def _width(name: str, size: str, width: int, most_seconds: float, load_options: dict[str, object] | None = None) -> GpuPart:
    told = ", ".join(f"{option} {value}" for option, value in (load_options or {}).items())
    more = ("--load-options", json.dumps(load_options)) if load_options else ()
    streams = engine_info(name).streams
    if streams in ("sentence", "chunk"):  # which make no frames, and are rehearsed at their own width
        rehearsal = (f"{ENGINES}.rehearsal", "--engine", name, "--size", size)
    else:
        rehearsal = (f"{ENGINES}.width_rehearsal", "--engine", name, "--size", size, "--widths", str(width))
    title = f"{name} {size} at width {width}" + (f", {told}" if told else "")
    return GpuPart(title, f"{ENGINES}.width_figures", (*_of(name, size, width), *more), most_seconds, rehearsal)


def _of(name: str, size: str, width: int) -> tuple[str, ...]:
    return "--engine", name, "--size", size, "--width", str(width), "--device", "cuda:0"
