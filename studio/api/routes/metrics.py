"""GET /metrics: the meters, in the text format that Prometheus scrapes."""

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import Request
from starlette.responses import Response

from studio.api.door.context import DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.errors import ApiError
from studio.web.owners import is_from_this_machine

__all__ = ["router"]

TEXT: Responses = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}

router = APIRouter(tags=["engines"])


@router.get("/metrics", summary="Metrics", response_class=Response, responses=TEXT)
async def read_metrics(context: DeskOf, request: Request) -> Response:
    """Families of vLLM-Omni (`vllm_omni:`) and of the studio (`studio_`), in the text format of Prometheus.

    Where visitors are kept apart these counts are of them all together, so that only the owner may read them, and what asks on the machine
    itself.
    """
    studio = context.studio
    if studio.settings.workspaces == "private" and not (studio.is_owner or is_from_this_machine(request.scope)):
        hint = "Ask from the machine itself, or with the owner's key."
        raise ApiError(403, "The metrics of a studio that keeps its visitors apart are not for visitors.", hint=hint)
    text = await context.threads.run(context.meters.exposition)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})
