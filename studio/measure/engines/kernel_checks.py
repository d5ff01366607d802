"""The self-checks of all engines on a GPU, without weights: `python -m studio.measure.engines.kernel_checks`.

Each fused kernel is compiled for the sizes of each engine, and compared with the formula that it stands for. What is not trusted is named
in a warning of the check. Ends with 1 where any is not. The last line is JSON.
"""

import argparse
import json
import sys
from functools import partial

from engines.catalog import engine_ids, engine_sizes, open_random_engine
from engines.kit.gauges.fake_gpu import DEVICE
from engines.kit.gauges.kernel_report import kernel_report

__all__ = ["main"]


def main() -> int:
    """Print a row per engine and size."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--engines", nargs="+", default=[name for name in engine_ids() if engine_sizes(name)])
    parser.add_argument("--device", default=DEVICE)
    parser.add_argument("--dtype", default="bfloat16")
    asked = parser.parse_args()
    reports: dict[str, dict[str, bool]] = {}
    print("| engine | kernels trusted | not trusted |\n| --- | --- | --- |", flush=True)
    for name in asked.engines:
        for size in engine_sizes(name):
            report = kernel_report(partial(open_random_engine, name, size, device=DEVICE, dtype=asked.dtype), asked.device)
            if report is not None:
                reports[f"{name} {size}"] = report
                print(f"| {name} {size} | {sum(report.values())} of {len(report)} | {_refused(report)} |", flush=True)
    print(json.dumps({"device": asked.device, "dtype": asked.dtype, "kernels": reports}))
    return 0 if all(all(report.values()) for report in reports.values()) else 1


def _refused(report: dict[str, bool]) -> str:
    return ", ".join(name for name, trusted in report.items() if not trusted) or "-"


if __name__ == "__main__":
    sys.exit(main())
