"""A studio of tone engines: `python -m tests.browser.tone_server [--port P]`. One is loaded, one sleeps, one is broken."""

import argparse
import time

from engines.errors import EngineUnavailable
from studio.server import serve, serve_on_space
from studio.service import Studio
from studio.settings import Settings, read_settings
from tests.browser.tone_engine import BROKEN, OCTAVE, TONE, ToneEngine

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


def tone_studio(settings: Settings) -> Studio:
    """The studio over tone engines."""
    return Studio(settings, infos=INFOS, open_engine=_open)


def _open(name: str) -> ToneEngine:
    if name == BROKEN.id:
        raise EngineUnavailable("Its weights are not here.", BROKEN.weights_command)
    return ToneEngine(INFOS[name], factor=2.0 if name == OCTAVE.id else 1.0)


if __name__ == "__main__":
    main()
