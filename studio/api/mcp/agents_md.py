"""`/agents.md`: what the studio can do for an agent, in the words of its tools, and how it is asked, by MCP or by HTTP."""

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse

from studio.api.door.context import DeskOf
from studio.web.address import public_address
from studio.words.tools import ABOUT, TOOL_WORDS

__all__ = ["BY_HTTP", "router"]

# The tools, and the same by plain HTTP: method, path, and how the arguments are called there where it is otherwise.
BY_HTTP = {
    "speak": 'POST /v1/audio/speech {"input": text, "voice", "model": engine, "language", "response_format": format}',
    "voices": "GET /v1/audio/voices, GET /v1/models",
    "create_voice": "POST /v1/audio/voices, a form: name, consent, audio_sample (file), ref_text (transcript), language",
    "delete_voice": "DELETE /v1/audio/voices/{name}",
    "transcribe": "POST /v1/audio/transcriptions, a form: file, language",
    "compare": 'POST /v1/studio/compare {"input": text, "lanes": [{"voice", "model": engine}], "measures"}',
}


router = APIRouter()


@router.get("/agents.md", include_in_schema=False)
async def tell_agents(request: Request, context: DeskOf) -> PlainTextResponse:
    """For agents that read before they ask."""
    settings = context.studio.settings
    text = _agents_md(public_address(request.scope, settings.root_path), has_mcp=settings.mcp, wants_key=bool(settings.api_keys))
    return PlainTextResponse(text, media_type="text/markdown")


def _agents_md(address: str, *, has_mcp: bool, wants_key: bool) -> str:
    """address: of the studio, as the caller knows it. has_mcp: whether it offers its tools by MCP, too."""
    mcp = f"- MCP (streamable HTTP): {address}/mcp\n" if has_mcp else ""
    key = "- Every request has a key: `Authorization: Bearer $KEY`\n" if wants_key else ""
    head = f"# Voice cloning studio\n\n{ABOUT}\n\n{mcp}- HTTP: {address}/openapi.json describes all of it\n{key}"
    return "\n".join([head, *map(_section, BY_HTTP)])


def _section(tool: str) -> str:
    words = TOOL_WORDS[tool]
    arguments = "".join(f"- `{name}`: {about}\n" for name, about in words.arguments.items())
    return f"## {tool}\n\n{words.about}\n\n{arguments}\nGives: {words.gives}\n\nBy HTTP: `{BY_HTTP[tool]}`\n"
