"""All that is to be measured on a GPU, in one go, with drawn weights: `python -m studio.measure.gpu_script`.

    python -m studio.measure.gpu_script qwen3_tts:0.6B qwen3_tts:1.7B \\
        --others voxcpm2:2B fish_speech:S2-Pro voxtral:4B omnivoice:0.6B cosyvoice3:0.5B

Parts run one after another in the order of their worth, each in a process of its own with its own limit of time. A part that fails or takes
too long is told, and the next begins; what does not fit into --seconds is left out. After every part the figures are written to --out, as
JSON, and as Markdown with card and driver for the diary. --list shows the plan. --rehearse runs the counts of the same plan on a fake GPU,
where a part has any. Without an NVIDIA GPU it ends with 2.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from engines.catalog import engine_ids, engine_sizes
from studio.measure.gpu_script.plan import GpuPart, Sized, gpu_plan
from studio.measure.gpu_script.report import PartResult, last_json, write_report

__all__ = ["main"]

LEAST_SECONDS = 15  # to open an engine at all: what has less left is not begun
NO_GPU = "No NVIDIA GPU answers (nvidia-smi): run this on a machine that has one, or look at --list and --rehearse.\n"


def main() -> int:
    """Run the plan."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("first", type=_sized, nargs="+", metavar="ENGINE:SIZE", help="asked over HTTP; the first at more widths")
    parser.add_argument("--others", type=_sized, nargs="+", default=[], metavar="ENGINE:SIZE", help="at widths 8 and 32")
    parser.add_argument("--seconds", type=float, default=720.0, help="for all parts together")
    parser.add_argument("--out", type=Path, default=Path("out/gpu_script"), help="folder of the report")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORDS", help="parts whose names contain any of these")
    parser.add_argument("--list", "--dry-run", action="store_true", help="show the plan and do nothing")
    parser.add_argument("--rehearse", action="store_true", help="count on a fake GPU instead; no limits of time but that of --seconds")
    asked = parser.parse_args()
    plan = [
        part for part in gpu_plan(asked.out, asked.first, asked.others) if not asked.only or any(words in part.name for words in asked.only)
    ]
    if asked.list:
        for number, part in enumerate(plan, start=1):
            print(f"{number:2}. {part.name} (at most {part.most_seconds:g} s): python -m {' '.join(part.command)}")
        print(f"At most {sum(part.most_seconds for part in plan):g} s, of which {asked.seconds:g} are given.")
        return 0
    card = "a fake GPU: counts, no times" if asked.rehearse else _card()
    if not card:
        parser.exit(2, NO_GPU)
    asked.out.mkdir(parents=True, exist_ok=True)
    results: list[PartResult] = []
    until = time.monotonic() + asked.seconds
    for part in plan:
        left = until - time.monotonic()
        limit = left if asked.rehearse else min(part.most_seconds, left)
        command = part.rehearsal if asked.rehearse else part.command
        results.append(_run(part, command, limit))
        print(f"{results[-1].name}: {results[-1].outcome}, {results[-1].seconds:.0f} s", flush=True)
        write_report(asked.out, card, results)
    print(f"report: {asked.out / 'report.md'}")
    return 0 if any(result.outcome == "done" for result in results) else 1


def _sized(text: str) -> Sized:
    name, _, size = text.partition(":")
    if name not in engine_ids() or size not in engine_sizes(name):
        known = ", ".join(f"{each}:{known}" for each in engine_ids() for known in engine_sizes(each))
        raise argparse.ArgumentTypeError(f"{text!r} is none of {known}")
    return name, size


def _run(part: GpuPart, command: tuple[str, ...], limit: float) -> PartResult:
    """In a process of its own, which is stopped at the limit with all that it has started."""
    if not command:
        return PartResult(part.name, command, "has no counts on a fake GPU")
    if limit < LEAST_SECONDS:
        return PartResult(part.name, command, "left out: no time is left")
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
        start_new_session=True,
    )  # fmt: skip
    try:
        printed, logged = process.communicate(timeout=limit)
        outcome = "done" if process.returncode == 0 else f"ended with {process.returncode}"
    except subprocess.TimeoutExpired:
        outcome = f"stopped after {limit:.0f} s"
        printed, logged = _stopped(process)
    seconds = time.monotonic() - began
    figures = last_json(part.json_file.read_text(encoding="utf-8") if part.json_file and part.json_file.exists() else printed)
    return PartResult(part.name, command, outcome, seconds, figures, printed, logged)


def _stopped(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What it had printed and logged. Its children, such as a server, are of its session and end with it."""
    _end_session(process)
    return process.communicate()


def _end_session(process: subprocess.Popen[str]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    import os
    import signal

    os.killpg(process.pid, signal.SIGKILL)


def _card() -> str:
    """Name, driver and memory of the first GPU; "" where none answers."""
    asked = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    try:
        told = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8", errors="replace", check=False)
    except OSError:
        return ""
    name, *rest = told.stdout.strip().partition("\n")[0].split(", ") if told.returncode == 0 and told.stdout.strip() else [""]
    return f"{name}, driver {', '.join(rest)}" if name and rest else ""


if __name__ == "__main__":
    sys.exit(main())
