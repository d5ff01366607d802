"""/docs and /openapi.json."""

import json
import re
from dataclasses import replace

import pytest

from engines.espeak import PACKAGE
from tests.api.door import CLONE_ONLY, Door
from tests.stand_ins.fake_engine import FakeEngine

EMBEDDED = replace(PACKAGE.info, markup=())


def test_the_documentation_asks_no_foreign_host(door):
    page = door.get("/docs")
    assert page.status_code == 200
    addresses = re.findall(r'(?:href|src)="([^"]+)"', page.text)
    assert addresses
    for address in addresses:
        assert address.startswith("/docs/static/")
        assert door.get(address).status_code == 200
    assert "https://" not in page.text


@pytest.mark.slow
def test_every_reference_in_the_document_leads_somewhere(door):
    document = door.get("/openapi.json").text
    schemas = json.loads(document)["components"]["schemas"]
    for prefix, name in re.findall(r'"\$ref":"([^"]*?)([^"/]+)"', document):
        assert prefix == "#/components/schemas/" and name in schemas


def examples_of(door: Door) -> list[tuple[str, dict]]:
    """(path, body) of every example in the documents."""
    document = door.get("/openapi.json").json()
    found = []
    for path, operations in document["paths"].items():
        content = operations.get("post", {}).get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema", {})
        if "$ref" in schema:
            examples = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["examples"]
            found += [(path, example) for example in examples]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("engines", [(EMBEDDED,), (CLONE_ONLY, EMBEDDED)], ids=["embedded", "clone-only"])
@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
def test_every_example_in_the_documents_can_be_sent_as_it_is(tmp_path, strict, engines):
    """To a new studio, which has no voices yet; the first engine is the default one."""
    door = Door(tmp_path, *map(FakeEngine, engines), strict_compat=strict)
    examples = examples_of(door)
    own = ("compare", "pairs", "reading", "tests")
    speech = ("/v1/audio/speech", "/v1/audio/speech/batch", "/openai/v1/audio/speech")
    assert {path for path, _ in examples} == {*speech, *(f"/v1/studio/{name}" for name in own)}
    for path, example in examples:
        answer = door.post(path, json=example)
        assert answer.status_code == 200, (example, answer.text)
        if path.endswith("batch"):
            assert answer.json()["failed"] == 0
    door.close()


def test_what_the_documents_leave_empty_in_a_form_is_as_if_it_were_not_there(door):
    empty = dict.fromkeys(("speaker_embedding", "ref_text", "speaker_description", "language"), "")
    assert door.upload("alice", **empty).status_code == 200


@pytest.mark.slow
def test_schema_failures_are_documented_as_400_and_never_as_422(door):
    for path, operations in door.get("/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            assert "422" not in operation["responses"], (method, path)
            assert operation["summary"], (method, path)


OF_ITS_STATE = (
    ("put", ""), ("put", "/sounds/{system}/{text}"), ("post", "/render"), ("post", "/freeze"), ("post", "/close"), ("post", "/unblind"),
    *(("get", path) for path in ("/votes", "/findings", "/report", "/sounds")),
)  # fmt: skip


@pytest.mark.slow
def test_every_documented_refusal_has_the_envelope(door):
    for path, operations in door.get("/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            refusals = {status: answer for status, answer in operation["responses"].items() if status >= "400"}
            assert all("application/json" in answer.get("content", ()) for answer in refusals.values()), (method, path)


@pytest.mark.slow
def test_refusals_are_documented_where_they_can_happen_and_only_there(door):
    paths = door.get("/openapi.json").json()["paths"]

    def refusals(method: str, path: str) -> set[str]:
        return {status for status in paths[path][method]["responses"] if status >= "400"}

    named, keyed, bodies = {"421"}, {"421", "429"}, {"408", "413", "503"}
    assert refusals("post", "/v1/audio/speech") == {"400", "401", "403", "404", "409", "500", "507"} | keyed | bodies
    assert refusals("post", "/v1/audio/voices") == {"400", "401", "403", "404", "500", "507"} | keyed | bodies
    assert refusals("get", "/v1/audio/voices/{name}") == {"400", "401", "404"} | keyed
    assert refusals("post", "/v1/studio/tests") == {"400", "401", "403", "409"} | keyed | bodies
    assert all("409" in refusals(method, f"/v1/studio/tests/{{test}}{path}") for method, path in OF_ITS_STATE)
    assert refusals("get", "/v1/models") == {"401"} | keyed
    assert refusals("get", "/v1/models/{model}") == {"400", "401", "404"} | keyed
    assert refusals("get", "/health") == {"503"} | named
    assert refusals("get", "/metrics") == keyed
