"""Chromium for measurements and browser tests: finds it, and has the flags that keep it quiet and alone."""

from shutil import which

__all__ = ["FLAGS", "find_chromium"]

SHELL = "chromium-headless-shell"  # without windows: a page costs a third of the processor time. It asks for no permission
NAMES = ("chromium", "chromium-browser", "google-chrome")
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


def find_chromium(*, asks: bool = False) -> str | None:
    """The program on PATH, or None. asks: one that can ask a person, for the microphone."""
    return next(filter(None, map(which, NAMES if asks else (SHELL, *NAMES))), None)
