"""/v1/studio/scripts: scripts for programs, and for the page: read in, edit, say, choose, play, export."""

from studio.api.routes.scripts import cast_test, editing, export, playing, scripts, takes

__all__ = ["ROUTERS"]

ROUTERS = (scripts.router, editing.router, takes.router, playing.router, export.router, cast_test.router)
