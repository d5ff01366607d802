"""/v1/studio/scripts: scripts for programs, and for the page: read in, edit, say, choose, play, export."""

from studio.api.routes.scripts import editing, scripts

__all__ = ["ROUTERS"]

ROUTERS = (scripts.router, editing.router)
