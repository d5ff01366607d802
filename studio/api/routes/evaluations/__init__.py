"""/v1/studio/evaluations: which engine is better, for programs and for the page: made, run, read, taken away, heard blind."""

from studio.api.routes.evaluations import evaluations, files, results

__all__ = ["ROUTERS"]

ROUTERS = (evaluations.router, results.router, files.router)
