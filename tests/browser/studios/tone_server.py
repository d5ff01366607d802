"""A studio of tone engines: `python -m tests.browser.studios.tone_server [--port P]`. One is loaded, one sleeps, one is broken.

`served_tones` is the same in this process, for tests that hold its engines.
"""

import argparse
import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.errors import EngineUnavailable
from studio.server import serve, serve_on_space
from studio.service import Studio
from studio.settings import Settings, read_settings
from tests.browser.studios.served_page import served_page
from tests.browser.studios.tone_engine import BROKEN, OCTAVE, TONE, ToneEngine

INFOS = {info.id: info for info in (TONE, OCTAVE, BROKEN)}


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--headless", action="store_true")
    options = parser.parse_args()
    settings = read_settings().model_copy(update={"default_engine": TONE.id})
    if settings.space_id:
        serve_on_space(settings, host="127.0.0.1", port=options.port, started=time.perf_counter(), make_studio=tone_studio)
        return
    serve(settings, host="127.0.0.1", port=options.port, headless=options.headless, make_studio=tone_studio)


def tone_studio(settings: Settings, let_go: threading.Event | None = None) -> Studio:
    """The studio over tone engines."""

    def open_engine(name: str) -> ToneEngine:
        if name == BROKEN.id:
            raise EngineUnavailable("Its weights are not here.", BROKEN.weights_command)
        return ToneEngine(INFOS[name], 2.0 if name == OCTAVE.id else 1.0, let_go)

    return Studio(settings, infos=INFOS, open_engine=open_engine)


@dataclass(frozen=True)
class Tones:
    """address: http://127.0.0.1:PORT. let_go: set it, and every speech goes on that waits at its `hold_at`."""

    address: str
    let_go: threading.Event
    studio: Studio


@contextlib.contextmanager
def served_tones(folder: Path, **settings: object) -> Iterator[Tones]:
    """Page and API over tone engines in this process."""
    let_go = threading.Event()
    studio = tone_studio(Settings(speakers_dir=folder, default_engine=TONE.id, **settings), let_go)
    studio.load()
    try:
        with served_page(studio) as address:
            yield Tones(address, let_go, studio)
    finally:
        let_go.set()  # or closing would wait for whoever is held
        studio.close()


if __name__ == "__main__":
    main()
