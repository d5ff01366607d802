"""GET /metrics: the meters, in the text format that Prometheus scrapes."""

from fastapi import FastAPI
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

from studio.api.desk import Desk

__all__ = ["MetricsRoom"]


class MetricsRoom:
    """The route of the metrics. `open` adds it to an app."""

    def __init__(self, desk: Desk):
        self._desk = desk

    def open(self, app: FastAPI) -> None:
        text = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}
        app.add_api_route(
            "/metrics", self.read, methods=["GET"], tags=["engines"], summary="Metrics", response_class=Response, responses=text
        )

    async def read(self) -> Response:
        """Families of vLLM-Omni (`vllm_omni:`) and of the studio (`studio_`), in the text format of Prometheus."""
        text = await self._desk.threads.run(self._desk.meters.exposition)
        return Response(text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})
