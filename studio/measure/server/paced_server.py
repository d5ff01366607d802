"""A studio with the paced engine alone, for load measurements: `python -m studio.measure.server.paced_server [--port P]`."""

import argparse

from studio.measure.server.paced_engine import INFO, PacedEngine
from studio.server import ServedAt, serve
from studio.service import Studio
from studio.settings import Settings, read_settings

__all__ = ["main"]


def main() -> None:
    """Serve the API until interrupted."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--headless", action="store_true", help="accepted and always so")
    options = parser.parse_args()
    settings = read_settings().model_copy(update={"default_engine": INFO.id})
    serve(settings, ServedAt("127.0.0.1", options.port), headless=True, make_studio=_studio)


def _studio(settings: Settings) -> Studio:
    return Studio(settings, infos={INFO.id: INFO}, open_engine=lambda name: PacedEngine())


if __name__ == "__main__":
    main()
