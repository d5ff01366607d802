"""Replicas for a number of listeners: `python -m studio.measure.fleet [--engine ID] [--listeners 10,1000,100000] [--goal-ms 300]`.

For every engine whose figures are known, with affinity by voice and without: from how many replicas (a GPU or a core each) to how many are
needed. From: fewer cannot make so much audio, by the better end of each figure. To: by the worse end the first packet stays within the goal
in a simulation (on one core); what listeners of that fleet get, and what formulas say of it, stands beside. What is measured counts before
what is a roofline, and each figure says which it is. The last line is JSON.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.measure.fleet.demand import Habits
from studio.measure.fleet.engine_costs import EngineCosts
from studio.measure.fleet.fleet_plan import FleetPlan
from studio.measure.fleet.fleet_run import FleetOutcome
from studio.measure.fleet.known_figures import Figure, KnownEngine, engine_of_figures, known_engines
from studio.measure.fleet.paper import least_replicas, on_paper
from studio.measure.fleet.routing import Routing
from studio.measure.fleet.sizing import Goal, least_on_paper, size_fleet
from studio.running.rendezvous import SPILL_AT

__all__ = ["main"]

COLUMNS = (
    "engine", "audio a s of a replica", "listeners", "routing", "replicas", "on paper", "TTFP p50 / p95 / p99 ms", "refused",
    "prepared hits (paper)", "prompt hits", "busy", "rows", "extractions a s", "memory of prompts, voices", "took s",
)  # fmt: skip
ROUTINGS = ("affinity", "two choices")
LEAST_VOICES, LISTENERS_PER_VOICE = 20, 2
MOST_SPEECHES, LEAST_SPEECHES, SPEECHES_PER_LISTENER = 60_000, 6_000, 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    asked = _arguments(arguments)
    print(_row(COLUMNS), _row(["---"] * len(COLUMNS)), sep="\n", flush=True)
    rows = []
    for name, engine in _engines(asked).items():
        for n_listeners in asked.listeners:
            rows += [_told(_sized(name, engine, n_listeners, routing, asked)) for routing in asked.routing]
    for name, engine in _engines(asked).items():
        for of_what, figure in engine.figures.items():
            print(f"{name}: {of_what} {_said(figure, engine.slack(of_what))}; {figure.source}")
    print(json.dumps({"goal_seconds": asked.goal_ms / 1000, "shape": asked.shape, "seed": asked.seed, "fleets": rows}))
    return 0


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--engine", choices=list(known_engines()), action="append", help="may be said again; all, if not said")
    parser.add_argument("--listeners", type=_numbers, default=(10, 1000, 100_000), help="who hear something at once, comma separated")
    parser.add_argument("--routing", type=lambda text: text.split(","), default=ROUTINGS, help="comma separated")
    parser.add_argument("--goal-ms", type=float, default=300.0, help="TTFP p95")
    parser.add_argument("--figures", type=Path, help="last line of studio.measure.engines.model_figures, for the one --engine")
    parser.add_argument("--shape", choices=("split", "whole"), default="split")
    parser.add_argument("--admission", choices=("sustainable", "all", "slots"), default="sustainable")
    parser.add_argument("--zipf", type=float, default=Habits.zipf, help="exponent of how often voices are asked for")
    parser.add_argument("--voices", type=int, help=f"how many there are; one for {LISTENERS_PER_VOICE} listeners if not said")
    parser.add_argument("--new-share", type=float, default=Habits.new_share, help="of speeches, in a voice never heard before")
    parser.add_argument("--speech-seconds", type=float, default=Habits.speech_seconds)
    parser.add_argument("--peak", type=float, default=1.0, help="of the rate over its mean, along a day of --day-seconds")
    parser.add_argument("--day-seconds", type=float, default=Habits.day_seconds)
    parser.add_argument("--prepared-voices", type=int, help="that a replica's device keeps; the engine's own bound if not said")
    parser.add_argument("--spill-at", type=int, default=SPILL_AT, help="requests of a replica from which on a voice's next one takes them")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(given)
    if asked.figures and len(asked.engine or ()) != 1:
        parser.error("--figures wants one --engine, whose extraction and bytes go with them")
    if unknown := set(asked.routing) - set(ROUTINGS):
        parser.error(f"--routing knows {', '.join(ROUTINGS)}, not {', '.join(sorted(unknown))}")
    return asked


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _engines(asked: argparse.Namespace) -> dict[str, KnownEngine]:
    known = known_engines()
    chosen = {name: known[name] for name in asked.engine or known}
    if asked.figures:
        name = asked.engine[0]
        chosen[name] = engine_of_figures(json.loads(asked.figures.read_text(encoding="utf-8").strip().splitlines()[-1]), known[name])
    return chosen


def _said(figure: Figure, slack: float) -> str:
    return f"{figure.basis}, {figure.device}" + (f", its worse end times {slack:.2g}, as GPUs made of others" if slack > 1.0 else "")


def _habits(n_listeners: int, asked: argparse.Namespace) -> Habits:
    voices = asked.voices or max(LEAST_VOICES, n_listeners // LISTENERS_PER_VOICE)
    more = {"zipf": asked.zipf, "new_share": asked.new_share, "peak": asked.peak, "day_seconds": asked.day_seconds}
    return Habits(n_listeners, voices, asked.speech_seconds, **more)


def _sized(name: str, engine: KnownEngine, n_listeners: int, routing: Routing, asked: argparse.Namespace) -> dict[str, object]:
    started, costs = time.perf_counter(), engine.worse
    habits, goal = _habits(n_listeners, asked), Goal(asked.goal_ms / 1000)
    plan = FleetPlan(1, routing, asked.shape, asked.admission, prepared_voices=asked.prepared_voices, spill_at=asked.spill_at)
    n_speeches = min(MOST_SPEECHES, max(LEAST_SPEECHES, SPEECHES_PER_LISTENER * n_listeners))
    sized = size_fleet(costs, plan, habits, goal, n_speeches=n_speeches, seed=asked.seed)
    row: dict[str, object] = {
        "engine": name, "basis": {of_what: figure.basis for of_what, figure in engine.figures.items()}, "device": engine.pace.device,
        "audio_per_second": [1 / end.rate(end.width) for end in (engine.better, costs)],
        "listeners": n_listeners, "voices": habits.voices, "routing": routing,
        "replicas": [least_replicas(engine.better, plan, habits, busy=1.0), sized and sized.plan.n_replicas],
        "replicas_on_paper": least_on_paper(costs, plan, habits, goal),
    }  # fmt: skip
    if sized:
        row |= _figures(costs, sized.plan, habits, sized.outcome)
    return row | {"took_seconds": time.perf_counter() - started}


def _figures(costs: EngineCosts, plan: FleetPlan, habits: Habits, outcome: FleetOutcome) -> dict[str, object]:
    paper = on_paper(costs, plan, habits)
    prompts = min(plan.prompt_cache_voices, habits.voices) * plan.n_ingresses(habits.n_listeners)
    keeps = costs.prepared_voices if plan.prepared_voices is None else plan.prepared_voices
    return {
        "ttfp_seconds": {f"p{percent}": outcome.ttfp(percent) for percent in (50, 95, 99)},
        "ttfp_p95_on_paper": paper.ttfp_seconds[95.0],
        "refused_share": outcome.refused_share,
        "stuttered_share": outcome.stuttered_share,
        "prepared_hit_rate": outcome.prepared_hit_rate if costs.prepare_seconds else None,
        "prepared_hit_rate_on_paper": paper.prepared_hit_rate if costs.prepare_seconds else None,
        "prompt_hit_rate": outcome.prompt_hit_rate,
        "prompt_hit_rate_on_paper": paper.prompt_hit_rate,
        "busy": outcome.busy,
        "rows": outcome.rows,
        "extracting": outcome.extracting,
        "preparing": outcome.preparing,
        "extractions_per_second": outcome.extractions_per_second,
        "prompt_bytes": prompts * costs.prompt_bytes,
        "prepared_bytes": min(keeps, habits.voices) * costs.prepared_bytes * plan.n_replicas,
    }


def _told(row: dict[str, object]) -> dict[str, object]:
    print(_row(_cells(row)), flush=True)
    return row


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _cells(row: Mapping) -> list[object]:
    of_paper = "none" if row["replicas_on_paper"] is None else _range(row["replicas_on_paper"])
    pace = _range([f"{audio:.3g}" for audio in row["audio_per_second"]])
    start = [
        f"{row['engine']}, {row['device']}",
        f"{pace}, {row['basis']['step_seconds']}",
        row["listeners"],
        row["routing"],
        _range(row["replicas"]),
        of_paper,
    ]
    took = f"{row['took_seconds']:.1f}"
    if row["replicas"][1] is None:
        return [*start, *["-"] * 8, took]
    hits, paper = row["prepared_hit_rate"], row["prepared_hit_rate_on_paper"]
    return [
        *start,
        " / ".join(f"{1000 * seconds:.0f}" for seconds in row["ttfp_seconds"].values()),
        f"{row['refused_share']:.2%}",
        "-" if hits is None else f"{hits:.0%} ({paper:.0%})",
        f"{row['prompt_hit_rate']:.0%}",
        f"{row['busy']:.0%}",
        f"{row['rows']:.0%}",
        f"{row['extractions_per_second']:.2g}",
        f"{row['prompt_bytes'] / 1e9:.2g} GB, {row['prepared_bytes'] / 1e9:.2g} GB",
        took,
    ]


def _range(ends: Sequence[object]) -> str:
    """None as the last one: no number of replicas will do."""
    first, last = ends
    return f"{first}" if first == last else f"{first} to {'none' if last is None else last}"


if __name__ == "__main__":
    sys.exit(main())
