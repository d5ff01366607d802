"""Would Jacobi decoding of a frame's codes pay? `python -m studio.measure.engines.jacobi --engine ID --size SIZE`.

An engine that completes its frames code by code (the fifteen codes behind the first of Qwen3-TTS, the nine of Fish) reads its depth decoder
once per code. Jacobi decoding guesses all codes, draws all of them again in one pass, and repeats until they stand: the same codes, since
noise is a function of position. This counts the passes that frames need, on a CPU, with weights that are drawn or of --checkpoint; and what
a pass costs on a GPU, by counts on a fake one. A step ends when the last of its rows does, so the mean of the most of --rows frames is what
a busy engine pays. Prints a table; the last line is JSON.

Draws: temperature:top_k:top_p:logit_scale:context_share, see CodeDraw. A context share below 1 stands for networks whose codes follow less
from the codes before than those of drawn weights do.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from engines.catalog import engine_sizes, open_engine, open_random_engine
from engines.contract.contract import Engine
from engines.kit.gauges.device_figures import set_threads
from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from engines.kit.gauges.jacobi_frames import (
    CodeDraw,
    FrameStates,
    JacobiFrames,
    depth_decoder,
    jacobi_frames,
    last_frame_guess,
    noise_guess,
    passes_work,
    sequential_codes,
    states_of,
    zero_guess,
)
from studio.measure.engines.device_work import milliseconds
from studio.measure.engines.drawn_speech import drawn_speech_options, prompt_from
from studio.measure.engines.rehearsal import TEXT, WORDS, engine_parser, made_clip

__all__ = ["main"]

# Of Qwen3-TTS (generation_config.json): 0.9, 50, 1. The entropy of its trained predictor is known by its loss on speech, 7.2 nats in the
# mean of 15 codes where ln 2048 = 7.6 is no knowledge at all (QwenLM/Qwen3-TTS, issue 371): what drawn weights have too. A scale of 4 has a
# peak.
DRAWS = ("0:0:1:1:1", "0.9:50:1:1:1", "0.9:0:1:1:1", "0.5:50:1:1:1", "0.9:50:1:4:1", "0.9:50:1:1:0.5", "0.9:50:1:1:0.1", "0.9:50:1:1:0.01")
COLUMNS = ("draw", "nats", "guess", "passes", "of the slowest row", "accepted after 1, 2, 3 passes", "codes unlike the sequential")


def main(arguments: Sequence[str] | None = None) -> None:
    """Count passes, and what they would cost."""
    parser = engine_parser(main.__doc__)
    parser.add_argument("--checkpoint", help="folder of real weights; drawn where none is given")
    parser.add_argument("--frames", type=int, default=16, help="of one speech")
    parser.add_argument("--rows", type=int, default=8, help="frames that a step makes at once")
    parser.add_argument("--draws", nargs="+", type=_draw, default=[_draw(text) for text in DRAWS])
    parser.add_argument("--cut-first", action="store_true", help="top-k and top-p before the temperature, as Fish draws")
    parser.add_argument("--threads", type=int, help="of the CPU")
    asked = parser.parse_args(arguments)
    if asked.threads:
        set_threads(asked.threads)
    size = asked.size or engine_sizes(asked.engine)[0]
    costs = _costs(asked, size)
    print(_row(COLUMNS), _row(["---"] * len(COLUMNS)), sep="\n", flush=True)
    engine = _opened(asked, size)
    prompt = prompt_from(engine, made_clip(), WORDS)
    states = states_of(engine, TEXT, prompt, drawn_speech_options(engine), asked.frames)
    rows = []
    for draw in asked.draws:
        rows += _passes(engine, states, CodeDraw(*draw, cut_first=asked.cut_first), asked.rows)
    engine.close()
    told = {"engine": asked.engine, "size": size, "checkpoint": asked.checkpoint, "dtype": asked.dtype, "frames": asked.frames}
    print(json.dumps(told | {"rows_of_a_step": asked.rows, "costs": costs, "passes": rows}))


def _draw(text: str) -> tuple[float, int, float, float, float]:
    temperature, top_k, top_p, scale, share = text.split(":")
    return float(temperature), int(top_k), float(top_p), float(scale), float(share)


def _opened(asked: argparse.Namespace, size: str) -> Engine:
    how = {"device": "cpu", "dtype": asked.dtype, "options": asked.load_options}
    if asked.checkpoint:
        return open_engine(asked.engine, checkpoint=asked.checkpoint, **how)
    return open_random_engine(asked.engine, size, **how)


def _costs(asked: argparse.Namespace, size: str) -> dict[str, object]:
    """Of the codes of a frame of all rows in their order, and of one pass over all codes; and how many passes cost as much."""
    with fake_gpu() as gpu, gpu.counting():
        engine = open_random_engine(asked.engine, size, device=DEVICE, dtype="bfloat16", options=asked.load_options | {"width": asked.rows})
        engine.warmup()  # which chooses the kernels
        network = depth_decoder(engine)
        n_codes = network.n_codebooks - 1
        in_order, at_once = passes_work(gpu, network, CodeDraw(0.9, 50, 1.0, cut_first=asked.cut_first), width=asked.rows)
        engine.close()
    times = [milliseconds(each.work, each.n_kernels) for each in (in_order, at_once)]
    costs = {
        "codes": n_codes,
        "kernels": (in_order.n_kernels, at_once.n_kernels),
        "bytes": (in_order.bytes, at_once.bytes),
        "milliseconds": times,
        "passes_that_cost_as_much": {
            device: [round(order / once, 1) for order, once in zip(times[0][device], times[1][device], strict=True)] for device in times[0]
        },
    }
    for name, value in costs.items():
        print(f"{name}: {value}")
    return costs


def _passes(engine: Engine, states: FrameStates, draw: CodeDraw, n_rows: int) -> list[dict[str, object]]:
    """By guess: what frames need."""
    network, rows = depth_decoder(engine), []
    codes = sequential_codes(network, states, draw)
    for name, guess in {"zeros": zero_guess, "noise alone": noise_guess, "last frame": last_frame_guess(codes)}.items():
        made = jacobi_frames(network, states, draw, guess)
        rows.append({"draw": asdict(draw), "guess": name, **_figures(made, n_rows), "unlike": int((made.codes != codes).sum())})
        print(_row(_cells(rows[-1])), flush=True)
    return rows


def _figures(made: JacobiFrames, n_rows: int) -> dict[str, object]:
    passes = made.passes.tolist()
    steps = [passes[at : at + n_rows] for at in range(0, len(passes) - n_rows + 1, n_rows)] or [passes]
    return {
        "entropy_nats": made.entropy,
        "passes": sum(passes) / len(passes),
        "passes_of_a_step": sum(map(max, steps)) / len(steps),
        "accepted": [round(each, 2) for each in made.accepted.float().mean(dim=1).tolist()],
    }


def _cells(row: dict) -> list[object]:
    draw = ":".join(f"{value:g}" for name, value in row["draw"].items() if name != "cut_first")
    accepted = " / ".join(f"{count:.1f}" for count in row["accepted"][:3])
    return [
        draw,
        f"{row['entropy_nats']:.2f}",
        row["guess"],
        f"{row['passes']:.1f}",
        f"{row['passes_of_a_step']:.1f}",
        accepted,
        row["unlike"],
    ]


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
