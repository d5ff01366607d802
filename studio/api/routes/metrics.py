"""GET /metrics: the meters, in the text format that Prometheus scrapes."""

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

from studio.api.desk import DeskOf

__all__ = ["router"]

TEXT = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}

router = APIRouter(tags=["engines"])


@router.get("/metrics", summary="Metrics", response_class=Response, responses=TEXT)
async def read_metrics(desk: DeskOf) -> Response:
    """Families of vLLM-Omni (`vllm_omni:`) and of the studio (`studio_`), in the text format of Prometheus."""
    text = await desk.threads.run(desk.meters.exposition)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})
