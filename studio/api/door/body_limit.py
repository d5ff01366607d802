"""The API's body limits: what a request may weigh, and the refusal in the shape of the API's errors.

Starlette's own limit answers in plain text; ours answers with the error envelope.
"""

from starlette.responses import JSONResponse
from starlette.types import Scope

from studio.api.door.errors import ApiError, phrase
from studio.api.door.middleware import request_id
from studio.web.body_limit import BodyRefused, BodyTooLarge

__all__ = ["MOST_BODY_BYTES", "MOST_UPLOAD_BODY_BYTES", "body_limit_of", "body_refusal"]

MEBIBYTE = 1024 * 1024
MOST_UPLOAD_BODY_BYTES = 12 * MEBIBYTE  # a file of 10 MiB with its form around it
MOST_BODY_BYTES = 16 * MEBIBYTE  # the same file as base64 inside JSON
UPLOAD_PATHS = ("/v1/audio/voices", "/v1/audio/transcriptions")


def body_limit_of(path: str) -> int:
    """Bytes that a body may have at that path."""
    return MOST_UPLOAD_BODY_BYTES if path in UPLOAD_PATHS else MOST_BODY_BYTES


def body_refusal(refused: BodyRefused, scope: Scope) -> JSONResponse:
    """413, in vLLM-Omni's words; 408 and 503, which it does not know. The connection is closed, since the rest of the body is not read."""
    fact, hint = refused.fact, refused.hint
    if isinstance(refused, BodyTooLarge):
        fact = f"Request body exceeds maximum limit of {refused.limit_bytes // MEBIBYTE}MB."
        hint = "A 20-second WAV is about 2 MB; send less, or compress it."
    kind = phrase(refused.status) if refused.status < 500 else ""
    error = ApiError(refused.status, fact, kind=kind, reason_code=refused.code, hint=hint)
    error.values.update(refused.values)
    headers = refused.headers | {"X-Request-Id": request_id(scope)}
    return JSONResponse(error.body(), status_code=error.status, headers=headers)
