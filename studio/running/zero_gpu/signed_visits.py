"""SignedVisits: requests of the HTTP API use their sender's GPU time, as the page's events do."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.running.zero_gpu.zero_gpu import SIGNATURE, SignedRequest, ZeroGpu

__all__ = ["SignedVisits"]


class SignedVisits:
    """ASGI: what a request or a WebSocket of `app` wants of a lent GPU, its sender wants, where the host's proxy has signed it.

    Gradio names a visitor for the events of its queue alone. Its Server mode does no more (6.31): a route beside the queue has nobody.
    """

    def __init__(self, app: ASGIApp, gpu: ZeroGpu):
        self._app, self._gpu = app, gpu

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(raw=scope.get("headers", []))
        if SIGNATURE not in headers:
            await self._app(scope, receive, send)
            return
        with self._gpu.visited(SignedRequest(headers)):
            await self._app(scope, receive, send)
