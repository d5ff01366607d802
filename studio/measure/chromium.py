"""Chromium as measurements and browser tests start it: where it is, and the flags that keep it quiet and alone."""

from shutil import which

__all__ = ["FLAGS", "find_chromium"]

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
)  # the first has no windows, and takes a third less time
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
)


def find_chromium() -> str | None:
    """The program on PATH, or None."""
    return next(filter(None, map(which, NAMES)), None)
