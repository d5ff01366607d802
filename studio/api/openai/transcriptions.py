"""POST /openai/v1/audio/transcriptions: the route of /v1, for programs that know one base address."""

from fastapi import APIRouter
from starlette.responses import Response

from studio.api.openai.models import BASE
from studio.api.routes.transcriptions import WORDS, write_down

__all__ = ["router"]

router = APIRouter(tags=["OpenAI's API"])
router.post(f"{BASE}/audio/transcriptions", summary="Write down what is said in a recording", response_class=Response, responses=WORDS)(
    write_down
)
