"""Recorded speech for programs: say it again in another voice, or change what is said in it."""

from studio.api.routes.recordings import convert, edit

__all__ = ["ROUTERS"]

ROUTERS = (convert.router, edit.router)
