"""MCP as it goes over HTTP: versions, messages that are none, progress, hang-ups, the older transport, and the official client."""

import ast
import asyncio
import json
import threading
from pathlib import Path

import httpx
import pytest

import studio.api
from studio.api.mcp.tool_answer import ToolAnswer
from tests.api.door import Door, eventually, served
from tests.api.mcp.agent import ACCEPTS, Agent
from tests.api.speech.test_hang_up import Steps, hung_up, idle
from tests.stand_ins.fake_engine import FakeEngine

META = "io.modelcontextprotocol/"
STATELESS = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}
CALL = {"name": "speak", "arguments": {"text": "x" * 60, "format": "wav"}}


@pytest.fixture
def agent(open_door) -> Agent:
    return Agent(open_door(mcp=True))


def stateless(agent: Agent, method: str, params: dict | None = None, **headers: str) -> httpx.Response:
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method} | headers
    return agent.post(method, (params or {}) | {"_meta": STATELESS}, **headers)


def test_a_version_is_agreed_upon_and_the_newest_offered_to_who_knows_none_of_ours(agent):
    for asked, agreed in (("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2030-01-01", "2025-11-25")):
        answer = agent.post("initialize", {"protocolVersion": asked}, **{"MCP-Protocol-Version": asked}).json()["result"]
        assert (answer["protocolVersion"], answer["serverInfo"]["title"]) == (agreed, "Voice cloning studio")
        assert answer["capabilities"] == {"tools": {}} and "consent" in answer["instructions"]
    assert agent.post("notifications/initialized", id=None).status_code == 202
    assert agent.post("ping").json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert agent.post("tools/list", path="/gradio_api/mcp/").json()["result"]["tools"] == agent.door.get("/gradio_api/mcp/schema").json()


def test_requests_that_say_their_version_need_no_handshake(agent):
    found = stateless(agent, "server/discover").json()["result"]
    assert "2026-07-28" in found["supportedVersions"] and found["resultType"] == "complete"
    listed = stateless(agent, "tools/list").json()["result"]
    assert (listed["resultType"], listed["cacheScope"], len(listed["tools"])) == ("complete", "public", 6)
    assert stateless(agent, "tools/call", CALL, **{"Mcp-Name": "speak"}).json()["result"]["isError"] is False
    mismatch = stateless(agent, "tools/call", CALL, **{"Mcp-Name": "voices"})
    assert (mismatch.status_code, mismatch.json()["error"]["code"]) == (400, -32020)
    assert stateless(agent, "prompts/list").status_code == 404


@pytest.mark.parametrize(
    ("body", "code", "status"),
    [
        (b"{", -32700, 400),
        (b"[]", -32600, 400),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600, 400),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602, 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601, 200),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nope"}}', -32602, 200),
    ],
)
def test_what_is_no_request_is_refused_by_the_protocol(agent, body, code, status):
    answer = agent.door.post("/mcp", content=body, headers=ACCEPTS | {"Content-Type": "application/json"})
    assert (answer.json()["error"]["code"], answer.status_code) == (code, status)


def test_versions_of_nobody_and_other_methods_of_http_are_refused(agent):
    answer = agent.post("tools/list", **{"MCP-Protocol-Version": "1999-01-01"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32022)
    assert agent.door.get("/mcp").status_code == agent.door.delete("/mcp").status_code == 405
    assert agent.door.post("/mcp", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 400


def test_there_are_no_tools_where_nobody_set_them_up(door):
    assert door.post("/mcp", json={}).status_code == door.get("/gradio_api/mcp/schema").status_code == 404
    told = door.get("/agents.md").text
    assert "/v1/audio/speech" in told and "MCP" not in told


def test_a_studio_without_tools_imports_none_of_them():
    for name, imported in (("app.py", ["agents_md"]), ("mcp/agents_md.py", [])):
        body = ast.parse((Path(studio.api.__file__).parent / name).read_text()).body  # what is imported at its own import
        named = [alias.name for node in body if isinstance(node, ast.ImportFrom) and "api.mcp" in node.module for alias in node.names]
        assert named == imported


def test_who_asks_for_it_hears_how_far_a_call_is(agent):
    answer = agent.post("tools/call", CALL | {"_meta": {"progressToken": "t"}})
    assert answer.headers["content-type"] == "text/event-stream"
    *reports, last = [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line.startswith("data: ")]
    told = [report["params"] for report in reports]
    assert told and all(report["progressToken"] == "t" for report in told)
    assert [report["progress"] for report in told] == sorted({report["progress"] for report in told})
    assert last["id"] == 1 and last["result"]["structuredContent"]["seconds"] >= told[-1]["progress"]


def test_a_long_call_keeps_its_connection_and_one_that_reads_no_events_gets_json(open_door, monkeypatch):
    monkeypatch.setattr(ToolAnswer, "quiet_seconds", 0.01)
    wait = threading.Event()
    agent = Agent(open_door(FakeEngine(before_chunk=lambda index: index or wait.wait(0.05)), mcp=True))
    assert agent.post("tools/call", CALL).text.startswith(": ping\n\n")
    assert agent.post("tools/call", CALL, Accept="application/json").json()["result"]["isError"] is False


def test_a_hang_up_frees_the_engine_within_one_chunk(open_door, caplog):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps), mcp=True)

    async def ask(url: str) -> None:
        async with httpx.AsyncClient() as client:
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
            asking = asyncio.ensure_future(client.post(f"{url}/mcp", json=message, headers=ACCEPTS))
            await asyncio.to_thread(steps.wait)
            asking.cancel()

    with caplog.at_level("INFO", "studio.request"), served(door) as url:
        asyncio.run(ask(url))
        assert eventually(lambda: hung_up(caplog))
        steps.go.release()
        assert eventually(lambda: door.engine.streams_closed == 1 and idle(door))
    assert door.engine.chunks_made == 1


def test_the_older_transport_answers_by_its_stream(open_door):
    door = open_door(mcp=True)

    async def ask(url: str) -> list[dict]:
        async with httpx.AsyncClient(timeout=30) as client, client.stream("GET", f"{url}/gradio_api/mcp/sse") as stream:
            lines = (line.removeprefix("data: ") async for line in stream.aiter_lines() if line.startswith("data: "))
            address, told = url + await anext(lines), []
            for number, (method, params) in enumerate((("initialize", {}), ("tools/call", CALL), ("nothing", {}))):
                message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                assert (await client.post(address, json=message)).status_code == 202
                told.append(json.loads(await anext(lines)))
            assert (await client.post(f"{address}0", json=message)).status_code == 404
            return told

    with served(door) as url:
        began, spoken, refused = asyncio.run(ask(url))
        assert eventually(lambda: not door.app.state.event_sessions._sessions)
    assert [began["id"], spoken["id"], refused["id"]] == [0, 1, 2]
    assert began["result"]["serverInfo"] and spoken["result"]["isError"] is False and refused["error"]["code"] == -32601


@pytest.mark.slow
def test_the_official_client_is_answered(open_door):
    from mcp import ClientSession  # here, since whoever collects the tests would wait for it
    from mcp.client.streamable_http import streamable_http_client

    async def ask(door: Door) -> tuple[list[str], object, object]:
        transport = httpx.ASGITransport(door.app)
        headers = {"Authorization": "Bearer k"}
        async with (
            httpx.AsyncClient(transport=transport, base_url="http://door", headers=headers) as client,
            streamable_http_client("http://door/mcp", http_client=client) as (reading, writing, _),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            return tools, await session.call_tool("speak", {"text": "hi"}), await session.call_tool("speak", {"text": "hi", "voice": "x"})

    tools, spoken, refused = asyncio.run(ask(open_door(mcp=True, api_keys=("k",))))
    assert len(tools) == 6 and [each.type for each in spoken.content] == ["text", "audio"]
    assert spoken.structuredContent["engine"] == "fake" and refused.isError
