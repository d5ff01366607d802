"""/docs and /openapi.json."""

import re


def test_the_documentation_asks_no_foreign_host(door):
    page = door.get("/docs")
    assert page.status_code == 200
    addresses = re.findall(r'(?:href|src)="([^"]+)"', page.text)
    assert addresses
    for address in addresses:
        assert address.startswith("/docs/static/")
        assert door.get(address).status_code == 200
    assert "https://" not in page.text


def test_the_documents_first_example_of_speech_can_be_sent_as_it_is(door):
    schema = door.get("/openapi.json").json()["components"]["schemas"]["SpeechBody"]
    example = schema["examples"][0]
    door.upload(example["voice"])
    assert door.post("/v1/audio/speech", json=example).status_code == 200


def test_schema_failures_are_documented_as_400_and_never_as_422(door):
    for path, operations in door.get("/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            assert "422" not in operation["responses"], (method, path)
            assert operation["summary"], (method, path)
