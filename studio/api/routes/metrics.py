"""GET /metrics: the meters, in the text format that Prometheus scrapes."""

import ipaddress

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import Request
from starlette.responses import Response

from studio.api.door.context import DeskOf
from studio.api.door.errors import ApiError
from studio.settings import Settings
from studio.web.access import Access

__all__ = ["router"]

TEXT = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}

router = APIRouter(tags=["engines"])


@router.get("/metrics", summary="Metrics", response_class=Response, responses=TEXT)
async def read_metrics(context: DeskOf, request: Request) -> Response:
    """Families of vLLM-Omni (`vllm_omni:`) and of the studio (`studio_`), in the text format of Prometheus.

    Where visitors are kept apart these counts are of them all together, so that only whoever runs the studio may read them: with a key that
    has no name, or on the machine itself.
    """
    if context.studio.settings.workspaces == "private" and not _runs_the_studio(request, context.studio.settings):
        hint = "Ask from the machine itself, or with a key without a name."
        raise ApiError(403, "The metrics of a studio that keeps its visitors apart are not for visitors.", hint=hint)
    text = await context.threads.run(context.meters.exposition)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


def _runs_the_studio(request: Request, settings: Settings) -> bool:
    """Whether a key without a name came along, or nothing stands between and the request was sent on this machine."""
    access = Access(settings.api_keys)
    if not access.open_to_all and access.who(request.headers.get("authorization", ""), "") == "":
        return True
    return "x-forwarded-for" not in request.headers and request.client is not None and _is_loopback(request.client.host)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
