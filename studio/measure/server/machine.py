"""Machine and versions behind a figure. With them a number can still be understood a year later."""

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

__all__ = ["describe_machine", "load_average", "spread"]

PACKAGES = ("numpy", "torch", "gradio", "fastapi", "uvicorn", "safetensors", "espeakng-loader")


def describe_machine() -> dict[str, object]:
    """Processor, cores, load, Python, package versions and the repository's revision."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load_average": load_average(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "revision": _revision(),
    }


def load_average() -> float | None:
    """Of the last minute; None on Windows, which has none."""
    return None if sys.platform == "win32" else round(os.getloadavg()[0], 2)


def spread(values: list[float]) -> dict[str, float]:
    """p50, p95, p99, least and greatest of some measurements, in their unit, and their number."""
    p50, p95, p99 = map(float, np.percentile(values, [50, 95, 99]))
    return {"p50": p50, "p95": p95, "p99": p99, "least": float(min(values)), "greatest": float(max(values)), "n": len(values)}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _revision() -> str | None:
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError:
        return None
    return found.stdout.strip() or None
