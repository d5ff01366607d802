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


def test_refusals_are_documented_where_they_can_happen_and_only_there(door):
    paths = door.get("/openapi.json").json()["paths"]

    def refusals(method: str, path: str) -> set[str]:
        return {status for status in paths[path][method]["responses"] if status >= "400"}

    assert refusals("post", "/v1/audio/speech") == {"400", "401", "403", "404", "413", "500", "503"}
    assert refusals("post", "/v1/audio/voices") == {"400", "401", "403", "413"}
    assert refusals("get", "/v1/audio/voices/{name}") == {"400", "401", "404"}
    assert refusals("get", "/v1/models") == {"401"}
    assert refusals("get", "/health") == {"503"}
    assert refusals("get", "/metrics") == set()
