"""STUDIO_STRICT_COMPAT against what vLLM-Omni's own code answered (vllm_omni_refusals.py): the same refusals, to the byte."""

import asyncio

import httpx
import pytest

from studio.api.socket.messages import MessageRefused
from studio.api.socket.session_config import SessionConfig
from studio.errors import SchemaInvalid
from studio.settings import OWN_DIALECT, VLLM_OMNI_DIALECT
from studio.speech.body import read_body
from tests.api.contract.vllm_omni_refusals import CASES, RECORDED, recorded, sent
from tests.api.door import Door

ENVELOPE = ("message", "type", "param", "code")  # what we add to it a client of vLLM-Omni does not read


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Of a strictly compatible door, in the order of CASES."""
    door = Door(tmp_path_factory.mktemp("strict"), strict_compat=True)

    async def ask() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(door.app), base_url="http://door", timeout=60) as client:
            return [await sent(client, case) for case in CASES]

    yield asyncio.run(ask())
    door.close()


def told(answer: httpx.Response) -> dict[str, object]:
    """As recorded() has it."""
    facts: dict[str, object] = {"status": answer.status_code}
    facts |= {"allow": answer.headers["allow"]} if "allow" in answer.headers else {}
    if answer.content:
        body = answer.json()
        error = body.get("error")
        facts["body"] = body if error is None else body | {"error": {name: error[name] for name in ENVELOPE}}
    return facts


def test_there_is_an_answer_for_every_case():
    assert len(recorded()) == len(CASES), f"record {RECORDED.name} again"


@pytest.mark.parametrize("index", range(len(CASES)), ids=lambda index: f"{index}-{CASES[index][1].strip('/').replace('/', '.')}")
def test_what_vllm_omni_refuses_is_refused_alike(answers, index):
    assert told(answers[index]) == recorded()[index], CASES[index]


def test_a_socket_and_the_page_take_no_other_formats():
    with pytest.raises(MessageRefused, match=r"(?s)Invalid session config: .*'wav', 'pcm', 'flac', 'mp3' or 'opus'"):
        SessionConfig.of({"response_format": "aac"}, VLLM_OMNI_DIALECT)
    assert SessionConfig.of({"response_format": "aac"}, OWN_DIALECT).response_format == "aac"
    with pytest.raises(SchemaInvalid, match="'wav', 'pcm', 'flac', 'mp3' or 'opus'"):
        read_body({"input": "hi", "response_format": "aac"}, VLLM_OMNI_DIALECT)


@pytest.mark.slow
def test_the_documents_show_the_formats_that_are_taken(open_door):
    for strict, last in ((True, "opus"), (False, "aac")):
        schemas = open_door(strict_compat=strict).get("/openapi.json").json()["components"]["schemas"]
        for kind in ("SpeechBody", "BatchItem"):
            shown = schemas[f"Compatible{kind}" if strict else kind]["properties"]["response_format"]
            assert (shown["anyOf"][0] if "anyOf" in shown else shown)["enum"][-1] == last
