"""The client of the Model Context Protocol: the tools by name, speech as audio and as a link that can be fetched."""

import base64
import json
import urllib.request
from contextlib import asynccontextmanager

import httpx2
from hearing import BLOCK, TEXT, Sound, case, tell
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

SERVER = json.loads(BLOCK)["mcpServers"]["voices"]


@asynccontextmanager
async def connected():
    http = httpx2.AsyncClient(headers=SERVER["headers"], timeout=120)
    async with http, Client(streamable_http_client(SERVER["url"], http_client=http)) as client:
        yield client


def name_of(tools: list, verb: str) -> str:
    return next(tool.name for tool in tools if tool.name == verb or tool.name.endswith(f"_{verb}"))


@case("tools", format="")
async def tools(sound: Sound) -> None:
    async with connected() as client:
        listed = (await client.list_tools()).tools
    names = [tool.name for tool in listed]
    sound.note = ", ".join(names)
    assert all(any(name.endswith(verb) for name in names) for verb in ("speak", "voices", "create_voice", "delete_voice")), names
    assert all(tool.description for tool in listed)


@case("speak: structured, with a link", format="mp3", voice="high")
async def speak(sound: Sound) -> None:
    async with connected() as client:
        answer = await client.call_tool(name_of((await client.list_tools()).tools, "speak"), {"text": TEXT})
    assert not answer.is_error, answer.content
    told = answer.structured_content or json.loads(next(part.text for part in answer.content if part.type == "text"))
    told = told.get("result", told)
    assert told["url"].startswith("http"), told["url"]
    with urllib.request.urlopen(urllib.request.Request(told["url"], headers=SERVER["headers"]), timeout=60) as fetched:
        sound.add(fetched.read())
    sound.note = json.dumps({name: value for name, value in told.items() if name != "pcm"})[:200]


@case("speak: audio in the answer", format="mp3", voice="high")
async def audio(sound: Sound) -> None:
    async with connected() as client:
        answer = await client.call_tool(name_of((await client.list_tools()).tools, "speak"), {"text": TEXT})
    assert not answer.is_error, answer.content
    part = next((part for part in answer.content if part.type == "audio"), None)
    assert part, f"no audio among {[part.type for part in answer.content]}"
    sound.add(base64.b64decode(part.data))
    sound.note = part.mime_type


@case("voices", format="")
async def voices(sound: Sound) -> None:
    async with connected() as client:
        answer = await client.call_tool(name_of((await client.list_tools()).tools, "voices"), {})
    assert not answer.is_error, answer.content
    told = answer.structured_content or json.loads(next(part.text for part in answer.content if part.type == "text"))
    sound.note = json.dumps(told)[:200]


@case("a mistake is told as one", format="")
async def mistake(sound: Sound) -> None:
    async with connected() as client:
        name = name_of((await client.list_tools()).tools, "speak")
        answer = await client.call_tool(name, {"text": TEXT, "voice": "nobody at all"})
    text = " ".join(part.text for part in answer.content if part.type == "text")
    assert answer.is_error and "nobody at all" in text and "/v1/" not in text, text
    sound.note = text[:200]


tell()
