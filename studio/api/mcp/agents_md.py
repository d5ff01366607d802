"""`/agents.md`: what the studio can do for an agent, in the words of its tools, and how it is asked, by MCP or by HTTP."""

from studio.api.mcp.tools import ARGUMENTS
from studio.words.tools import ABOUT, TOOL_WORDS

__all__ = ["agents_md"]

# The same by plain HTTP: method, path, and how the arguments are called there where it is otherwise.
BY_HTTP = {
    "speak": 'POST /v1/audio/speech {"input": text, "voice", "model": engine, "language", "response_format": format}',
    "voices": "GET /v1/audio/voices, GET /v1/models",
    "create_voice": "POST /v1/audio/voices, a form: name, consent, audio_sample (file), ref_text (transcript), language",
    "delete_voice": "DELETE /v1/audio/voices/{name}",
    "transcribe": "POST /v1/audio/transcriptions, a form: file, language",
    "compare": 'POST /v1/studio/compare {"input": text, "lanes": [{"voice", "model": engine}], "measures"}',
}


def agents_md(address: str, *, has_mcp: bool, wants_key: bool) -> str:
    """address: of the studio, as the caller knows it. has_mcp: whether it offers its tools by MCP, too."""
    mcp = f"- MCP (streamable HTTP): {address}/mcp\n" if has_mcp else ""
    key = "- Every request has a key: `Authorization: Bearer $KEY`\n" if wants_key else ""
    head = f"# Voice cloning studio\n\n{ABOUT}\n\n{mcp}- HTTP: {address}/openapi.json describes all of it\n{key}"
    return "\n".join([head, *map(_section, ARGUMENTS)])


def _section(tool: str) -> str:
    words = TOOL_WORDS[tool]
    arguments = "".join(f"- `{name}`: {about}\n" for name, about in words.arguments.items())
    return f"## {tool}\n\n{words.about}\n\n{arguments}\nGives: {words.gives}\n\nBy HTTP: `{BY_HTTP[tool]}`\n"
