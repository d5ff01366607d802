"""The documentation of this door: the OpenAPI document, and Swagger UI at /docs from files of our own, so that it asks no foreign host."""

from importlib.resources import files

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

from studio import __version__

__all__ = ["documented_app"]

SWAGGER = "/docs/static"
DESCRIPTION = """\
Wire-compatible with vLLM-Omni's speech API. Upload a voice once, then speak with it:

    curl -F audio_sample=@me.wav -F name=alice -F consent=mine -F ref_text="What I said." http://localhost:7860/v1/audio/voices
    curl -d '{"input": "Hello.", "voice": "alice"}' -H "Content-Type: application/json" http://localhost:7860/v1/audio/speech -o hello.wav

Errors are `{"error": {"message", "type", "param", "code"}}`, with `hint` (the next step) and `reason_code` (stable) where there is one.
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
            },
        }
    },
}
MISTAKE = {400: {"description": "The request can be mended", "content": {"application/json": {"schema": ERROR_SCHEMA}}}}


def documented_app() -> FastAPI:
    """An app without rooms, with /docs and /openapi.json."""
    app = FastAPI(
        title="Voice cloning studio", version=__version__, description=DESCRIPTION, responses=MISTAKE, docs_url=None, redoc_url=None
    )
    app.add_api_route("/docs", _swagger, include_in_schema=False)
    app.mount(SWAGGER, StaticFiles(directory=str(files("fastapi_offline") / "static")))
    _document_400_not_422(app)
    return app


async def _swagger(request: Request) -> HTMLResponse:
    root = request.scope.get("root_path", "").rstrip("/")
    return get_swagger_ui_html(
        openapi_url=f"{root}/openapi.json",
        title="Voice cloning studio",
        swagger_js_url=f"{root}{SWAGGER}/swagger-ui-bundle.js",
        swagger_css_url=f"{root}{SWAGGER}/swagger-ui.css",
        swagger_favicon_url=f"{root}{SWAGGER}/favicon.png",
    )


def _document_400_not_422(app: FastAPI) -> None:
    """Schema failures are 400 here; FastAPI would document its own 422."""
    generate = app.openapi

    def openapi() -> dict[str, object]:
        document = generate()
        for path in document["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
        return document

    app.openapi = openapi
