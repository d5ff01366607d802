"""The documentation of this door: the OpenAPI document, and Swagger UI at /docs. Its files are our own, so that it asks no other host."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

from studio import __version__
from studio.service import Studio
from studio.web.hosts import CONTENT_POLICY, content_policy, script_hashes

__all__ = ["Responses", "documented_app"]

Responses = dict[int | str, dict[str, Any]]  # FastAPI's: status -> what OpenAPI says of an answer

SWAGGER = "/docs/static"
POLICY = {  # Swagger UI writes styles, and draws with data: images
    "default-src": "'self'", "style-src": "'self' 'unsafe-inline'", "img-src": "'self' data:", "object-src": "'none'",
    "base-uri": "'none'", "form-action": "'self'",
}  # fmt: skip
DESCRIPTION = """\
Wire-compatible with vLLM-Omni's speech API. Upload a voice once, then speak with it:

    curl -F audio_sample=@me.wav -F name=alice -F consent=mine -F ref_text="What I said." http://localhost:7860/v1/audio/voices
    curl -d '{"input": "Hello.", "voice": "alice"}' -H "Content-Type: application/json" http://localhost:7860/v1/audio/speech -o hello.wav

Errors are `{"error": {"message", "type", "param", "code"}}`, with `hint` (the next step), `reason_code` (stable) and `values` (the
figures and names of the message; `sentence` tells the facts of one code apart) where there are any.
"""
ERROR_SCHEMA = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "code": {"type": "integer"},
                "hint": {"type": "string"},
                "reason_code": {"type": "string"},
                "values": {"type": "object"},
            },
        }
    },
}
UNAUTHORIZED_SCHEMA = {"type": "object", "required": ["error"], "properties": {"error": {"const": "Unauthorized"}}}
REFUSALS = {  # status -> what it means here
    400: "The request can be mended; `param` names the field.",
    401: "No key, or a wrong one.",
    403: "Asked by a page of another origin.",
    404: "No such voice, engine or take, no transcriber, or no request that is known.",
    408: "The body did not arrive in time.",
    409: "The name is of a stored voice and of a built-in one (`speaker_shadowed`): rename or delete the stored one.",
    413: "The body is too large.",
    421: "Asked for by a name that the studio does not go by.",
    429: "Too many wrong keys came from that address; with `Retry-After`.",
    500: "The engine failed.",
    503: "Too many wait, send bodies or are connected, one more would make others run dry, or the engine cannot be loaded or reached; with "
    "`Retry-After` where waiting helps.",
    507: "The disk is full, or may not be written to; `values.setting` names what says where it lies.",
}
METRICS = "/metrics"  # which tell whether a key is right
CREATING = ("/v1/audio/voices", "/openai/v1/audio/voices")  # also by an engine that designs
CONSENTING = ("/v1/audio/voice_consents", "/openai/v1/audio/voice_consents")
OF_TAKES = "/v1/studio/pairs/takes"  # which may be gone
CHANGING = (
    "/v1/studio/lexicon",
    "/v1/studio/pairs/",
    "/v1/studio/scripts",
    "/v1/studio/evaluations",
)  # whatever is changed there is written
TRANSCRIBING, READING = ("/v1/audio/transcriptions", "/openai/v1/audio/transcriptions"), "/v1/studio/reading"
GUARDED = ("/v1/", "/openai/v1/")
SPEAKING = (
    "/v1/audio/speech", "/v1/audio/speech/batch", "/v1/audio/speech/convert", "/v1/audio/voices/{name}/cache", "/v1/studio/compare",
    "/v1/studio/pairs", "/v1/studio/pairs/next", "/openai/v1/audio/speech", "/v1/studio/takes/{take}/parts/{part}",
    "/v1/studio/scripts/{script}/play", "/v1/studio/edit",
)  # fmt: skip


def documented_app() -> FastAPI:
    """An app without rooms, with /docs and /openapi.json."""
    app = FastAPI(title="Voice cloning studio", version=__version__, description=DESCRIPTION, docs_url=None, redoc_url=None)
    app.add_api_route("/docs", _swagger, include_in_schema=False)
    app.mount(SWAGGER, StaticFiles(directory=str(files("fastapi_offline") / "static")))
    _complete_document(app)
    return app


async def _swagger(request: Request) -> HTMLResponse:
    root = request.scope.get("root_path", "").rstrip("/")
    page = get_swagger_ui_html(
        openapi_url=f"{root}/openapi.json",
        title="Voice cloning studio",
        swagger_js_url=f"{root}{SWAGGER}/swagger-ui-bundle.js",
        swagger_css_url=f"{root}{SWAGGER}/swagger-ui.css",
        swagger_favicon_url=f"{root}{SWAGGER}/favicon.png",
    )
    page.headers[CONTENT_POLICY] = content_policy(POLICY | {"script-src": f"'self' {script_hashes(bytes(page.body).decode())}"})
    return page


def _complete_document(app: FastAPI) -> None:
    """What gates, limits and handlers answer, once, and which engine speaks the examples.

    Schema failures are 400; FastAPI would document its own 422.
    """
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        document = generate()
        document.setdefault("components", {}).setdefault("schemas", {}).update(Refusal=ERROR_SCHEMA, Unauthorized=UNAUTHORIZED_SCHEMA)
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                responses = operation["responses"]
                responses.pop("422", None)
                for status in _refusals(path, method, operation):
                    responses.setdefault(str(status), {"description": REFUSALS[status]})
                for status in filter(_is_refusal, responses):  # those of a route's own, too
                    responses[status].setdefault("content", _refusal_content(status, path))
        _let_examples_speak(document, app.state.context.studio)
        return document

    app.openapi = openapi


def _let_examples_speak(document: dict[str, Any], studio: Studio) -> None:
    """Examples ask for no voice of anybody's, so they name an engine that has one of its own where the default engine has none."""
    engines = [studio.engine_info(), *(status.info for status in studio.engines())]
    speaks = next((info.id for info in engines if info.default_preset is not None), engines[0].id)
    if speaks == engines[0].id:
        return
    for schema in document["components"]["schemas"].values():
        if "examples" in schema and "model" in schema["properties"]:
            schema["examples"] = [{"model": speaks} | example for example in schema["examples"]]


def _refusals(path: str, method: str, operation: Mapping[str, Any]) -> tuple[int, ...]:
    """The statuses by which an operation may refuse."""
    creates = path in CREATING and method == "post"
    guarded, speaks, takes_body = path.startswith(GUARDED), path in SPEAKING, "requestBody" in operation
    names_engine = any(parameter["name"] == "model" for parameter in operation.get("parameters", ()))
    said = {
        400: takes_body or "parameters" in operation,
        401: guarded,
        403: guarded and method != "get",
        404: speaks or creates or "{" in path or path in (*TRANSCRIBING, READING, OF_TAKES) or names_engine,
        408: takes_body,
        409: speaks,
        413: takes_body,
        421: True,
        429: guarded or path == METRICS,
        500: speaks or creates or path in TRANSCRIBING,
        503: speaks or takes_body,
        507: speaks or (takes_body and path in (*CREATING, *CONSENTING)) or (method != "get" and path.startswith(CHANGING)),
    }
    return tuple(status for status, applies in said.items() if applies)


def _is_refusal(status: str) -> bool:
    return status >= "400"


def _refusal_content(status: str, path: str) -> dict[str, object]:
    kind = "Unauthorized" if status == "401" and path.startswith(GUARDED[0]) else "Refusal"
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind}"}}}
