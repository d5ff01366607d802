"""Agent: a client of MCP over a Door, message by message, as modelcontextprotocol.io/specification/2025-11-25 has them."""

import base64
import re

from tests.api.door import Door, wav

__all__ = ["ACCEPTS", "RECORDING", "Agent", "misfit", "names_no_route"]

ACCEPTS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
RECORDING = base64.b64encode(wav(2.0)).decode()
OF_THE_API = re.compile(r"/v1\b|\b(GET|POST|PUT|DELETE) |\b(ref_audio|ref_text|audio_sample|extra_params)\b|\btab\b|\bpage\b")


class Agent:
    def __init__(self, door: Door, **headers: str):
        self.door = door
        self._headers = ACCEPTS | headers

    def post(self, method: str, params: dict | None = None, *, path: str = "/mcp", id: object = 1, **headers: str):
        message = {"jsonrpc": "2.0", "method": method} | ({"id": id} if id is not None else {}) | ({"params": params} if params else {})
        return self.door.post(path, json=message, headers=self._headers | headers)

    def call(self, tool: str, **arguments: object) -> dict:
        """The result."""
        return self.post("tools/call", {"name": tool, "arguments": arguments}).json()["result"]

    def values(self, tool: str, **arguments: object) -> dict:
        """Of a call that succeeds."""
        result = self.call(tool, **arguments)
        assert not result["isError"], result["content"][0]["text"]
        return result["structuredContent"]

    def refusal(self, tool: str, **arguments: object) -> tuple[str, str, str]:
        """(argument, code, text) of a call that fails."""
        result = self.call(tool, **arguments)
        assert result["isError"] and "structuredContent" not in result
        problem = result["_meta"]["studio/problems"][0]
        assert problem["tool"] == tool
        return problem["argument"], problem["code"], result["content"][0]["text"]


KINDS = {"object": dict, "array": list, "string": str, "number": int | float, "integer": int, "boolean": bool}


def misfit(value: object, schema: dict, at: str = "") -> str:
    """Where a value is not as its schema says, or has what the schema does not name; "" for nowhere."""
    if "enum" in schema:
        return "" if value in schema["enum"] else at
    if not isinstance(value, KINDS[schema["type"]]) or not set(schema.get("required", ())) <= set(value if isinstance(value, dict) else ()):
        return at or "its kind, or what is required"
    if isinstance(value, list):
        return next(filter(None, (misfit(each, schema["items"], f"{at}[]") for each in value)), "")
    members = value.items() if isinstance(value, dict) and "properties" in schema else ()
    properties = schema.get("properties", {})
    if unknown := [name for name, _ in members if name not in properties]:
        return f"{at}.{unknown[0]}"
    return next(filter(None, (misfit(each, properties[name], f"{at}.{name}") for name, each in members)), "")


def names_no_route(text: str) -> bool:
    """Whether it is told in the tools' words: without a route or a field of the HTTP API, and without places of the page."""
    return OF_THE_API.search(text) is None
