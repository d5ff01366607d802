"""MCP's messages: JSON-RPC 2.0 by the streamable HTTP transport, without sessions. It reads a request, and knows the versions.

Written after modelcontextprotocol.io/specification, 2024-11-05 to 2026-07-28, and not built on the package `mcp`: its versions 1 (which
`gradio[mcp]` wants) and 2 have different servers, and importing either takes 0.3 to 0.4 s. What tools need of the protocol is small.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio import __version__
from studio.api.mcp.tools import ARGUMENTS, listed
from studio.words.tools import ABOUT

__all__ = [
    "CONNECT",
    "PARSE_ERROR",
    "TOOL_CALL",
    "McpRefused",
    "McpRequest",
    "answer_of",
    "called_tool",
    "error_of",
    "progress_of",
    "read_request",
    "result_of",
]

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # that begin with `initialize`
NEWEST_HANDSHAKE = HANDSHAKES[-1]
STATELESS = ("2026-07-28",)  # where each request says its version by itself
UNSAID = "2025-03-26"  # of a request without a header: 2025-06-18, "Protocol Version Header"
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"
META = "io.modelcontextprotocol/"
ENCODED = re.compile(r"=\?base64\?(.*)\?=")  # how a header holds what it cannot: 2026-07-28, "Value Encoding"
SERVER = {"name": "voice-cloning-studio", "title": "Voice cloning studio", "version": __version__}
ABILITIES = {"capabilities": {"tools": {}}, "instructions": ABOUT}
FRESH = {"ttlMs": 3_600_000, "cacheScope": "public"}  # the tools are those of this version, for everybody

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
CONNECT, TOOL_CALL = "initialize", "tools/call"


class McpRefused(Exception):
    """code: JSON-RPC's or MCP's. status: of the HTTP answer. data: for programs."""

    def __init__(self, code: int, message: str, *, status: int = 400, id: object = None, data: Mapping[str, object] | None = None):
        super().__init__(message)
        self.code, self.message, self.status, self.id, self.data = code, message, status, id, data


@dataclass(frozen=True)
class McpRequest:
    """id: None for a notification, and for an answer to something that was never asked. method: "" for the latter.

    progress_token: under which the client hears how far it is; None where it does not want to.
    """

    id: object
    method: str
    params: Mapping[str, Any]
    version: str

    @property
    def is_stateless(self) -> bool:
        return self.version in STATELESS

    @property
    def progress_token(self) -> object:
        return _mapping(self.params.get("_meta")).get("progressToken")

    @property
    def takes_links(self) -> bool:
        """Whether it knows `resource_link`."""
        return self.version not in HANDSHAKES[:2]


def read_request(message: object, headers: Mapping[str, str]) -> McpRequest:
    """What a client sent. Raises McpRefused."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise McpRefused(INVALID_REQUEST, "The body has to be one JSON-RPC 2.0 message.")
    id, method, params = message.get("id"), message.get("method", ""), message.get("params", {})
    is_answer = not method and ("result" in message or "error" in message)
    if not isinstance(method, str) or not isinstance(id, str | int | None) or isinstance(id, bool) or not (method or is_answer):
        raise McpRefused(INVALID_REQUEST, "A request has a method, and an id that is a text or a whole number.")
    if not isinstance(params, dict):
        raise McpRefused(INVALID_PARAMS, "`params` has to be an object.", id=id)
    version = headers.get(VERSION_HEADER, UNSAID)
    known = (*HANDSHAKES, *STATELESS)
    if version not in known and method != CONNECT:
        data = {"supported": known, "requested": version}
        raise McpRefused(UNSUPPORTED_VERSION, f"This server does not speak version {version!r} of MCP.", id=id, data=data)
    request = McpRequest(id if method and "id" in message else None, method, params, version)
    if request.is_stateless and request.id is not None:
        _check_headers(request, headers)
    return request


def answer_of(request: McpRequest) -> dict[str, object]:
    """The result of what is no call of a tool. Raises McpRefused."""
    match request.method:
        case "initialize":  # CONNECT
            asked = request.params.get("protocolVersion")
            return {"protocolVersion": asked if asked in HANDSHAKES else NEWEST_HANDSHAKE, "serverInfo": SERVER} | ABILITIES
        case "server/discover":
            return {"supportedVersions": [*HANDSHAKES, *STATELESS], "_meta": {f"{META}serverInfo": SERVER}} | ABILITIES | FRESH
        case "ping":
            return {}
        case "tools/list":
            return {"tools": listed(), **(FRESH if request.is_stateless else {})}
    status = 404 if request.is_stateless else 200  # until then it is no error of HTTP
    raise McpRefused(METHOD_NOT_FOUND, f"There is no method {request.method!r} here.", status=status, id=request.id)


def called_tool(request: McpRequest) -> tuple[str, Mapping[str, Any]]:
    """(name, arguments) of a call. Raises McpRefused for a tool that there is not."""
    name, arguments = request.params.get("name"), request.params.get("arguments")
    if name not in ARGUMENTS:
        message = f"There is no tool {name!r} here. The tools are {', '.join(ARGUMENTS)}."
        raise McpRefused(INVALID_PARAMS, message, status=400 if request.is_stateless else 200, id=request.id)
    if not isinstance(arguments, dict | None):
        raise McpRefused(INVALID_PARAMS, "`arguments` has to be an object.", id=request.id)
    return name, arguments or {}


def result_of(request: McpRequest, result: Mapping[str, object]) -> dict[str, object]:
    """The message of a result."""
    whole = {"resultType": "complete", **result} if request.is_stateless else dict(result)
    return {"jsonrpc": "2.0", "id": request.id, "result": whole}


def error_of(error: McpRefused) -> dict[str, object]:
    """The message of what is refused before any tool is asked."""
    told: dict[str, object] = {"code": error.code, "message": error.message}
    return {"jsonrpc": "2.0", "id": error.id, "error": told | ({"data": error.data} if error.data else {})}


def progress_of(request: McpRequest, done: float, of: float | None, words: str) -> dict[str, object]:
    """The notification of how far a call is."""
    params = {"progressToken": request.progress_token, "progress": done, "message": words} | ({} if of is None else {"total": of})
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def _check_headers(request: McpRequest, headers: Mapping[str, str]) -> None:
    """Proxies route by what the headers say; a request whose body says otherwise is none. Raises McpRefused."""
    meta = _mapping(request.params.get("_meta"))
    for key in ("protocolVersion", "clientCapabilities"):
        if META + key not in meta:
            raise McpRefused(INVALID_PARAMS, f"`params._meta` lacks `{META}{key}`.", id=request.id)
    said = {VERSION_HEADER: meta[f"{META}protocolVersion"], METHOD_HEADER: request.method}
    if request.method == TOOL_CALL:
        said[NAME_HEADER] = request.params.get("name")
    for header, value in said.items():
        if _decoded(headers.get(header)) != value:
            raise McpRefused(HEADER_MISMATCH, f"The header {header} does not say what the body says.", id=request.id)


def _decoded(value: str | None) -> str | None:
    encoded = ENCODED.fullmatch(value or "")
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
