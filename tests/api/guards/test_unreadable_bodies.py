"""Bodies that are no JSON, no UTF-8 or packed: whoever sent one is told where, and what to do."""

import base64
import gzip

import pytest

from tests.api.door import error_of, wav

SPEECH, READING, BATCH = "/v1/audio/speech", "/v1/studio/reading", "/v1/audio/speech/batch"
JSON = {"Content-Type": "application/json"}
LONG = '"' + "a" * (1 << 18) + '"'  # which is read on a thread


# (the body, what is told of it)
NO_TEXTS = (
    ('{"input": "Grün"}'.encode("latin-1"), {"offset": 13, "line": 1, "column": 14, "letter": "ü"}),
    ('{"a": "ü",\n "input": "'.encode() + b"\x80" + b'"}', {"offset": 23, "line": 2, "column": 12, "letter": "€"}),
    (f'{{"a": {LONG}, "b": "'.encode() + b"\xe9", {"offset": len(LONG) + 14, "line": 1, "column": len(LONG) + 15, "letter": "é"}),
)
NO_JSON = (
    ('{"input": "Hi",\n "voice" "a"}', {"offset": 25, "line": 2, "column": 10}),
    ("{'input': 1}", {"offset": 1, "line": 1, "column": 2}),
    ('{"input": "Hi"', {"offset": 14, "line": 1, "column": 15}),
    ("ü", {"offset": 0, "line": 1, "column": 1}),
)


@pytest.mark.parametrize("path", [SPEECH, READING, BATCH])
def test_a_body_that_is_no_utf_8_is_told_at_which_byte(door, path):
    for body, told in NO_TEXTS:
        answer = door.post(path, content=body, headers=JSON)
        error = error_of(answer)
        assert (answer.status_code, error["type"], error["reason_code"]) == (400, "Bad Request", "schema_invalid")
        assert error["values"] == {"sentence": "body_not_utf8"} | told
        assert f"offset {told['offset']} " in error["message"] and repr(told["letter"]) in error["hint"]


@pytest.mark.parametrize("path", [SPEECH, READING, BATCH])
def test_broken_json_is_told_at_which_character(door, path):
    for body, told in NO_JSON:
        answer = door.post(path, content=body, headers=JSON)
        error = error_of(answer)
        assert (answer.status_code, error["values"]) == (400, {"sentence": "body_no_json"} | told)
        assert error["hint"].startswith(f"The body is no JSON. Line {told['line']}, column {told['column']}: Expecting ")


def test_a_packed_body_is_told_so_with_and_without_its_header(door):
    packed = gzip.compress(b'{"input": "Hi"}')
    for headers in (JSON, JSON | {"Content-Encoding": "gzip"}):
        answer = door.post(SPEECH, content=packed, headers=headers)
        assert (answer.status_code, error_of(answer)["values"]["sentence"]) == (400, "body_compressed")
    form = door.post("/v1/audio/voices", content=packed, headers={"Content-Type": "multipart/form-data", "Content-Encoding": "br"})
    assert (form.status_code, error_of(form)["values"]["coding"]) == (400, "br")
    assert door.post(READING, json={"input": "Hi"}, headers={"Content-Encoding": "identity"}).status_code == 200


def test_base64_without_a_data_url_is_told_what_lacks(door):
    bare = base64.b64encode(wav(1.0)).decode()
    for sent in (bare, "\n".join(bare[at : at + 76] for at in range(0, 760, 76)), bare.replace("+", "-").replace("/", "_")):
        error = error_of(door.speak(ref_audio=sent))
        assert (error["reason_code"], error["values"]["sentence"]) == ("ref_audio_scheme_unknown", "ref_audio_bare_base64")
        assert "data:audio/wav;base64," in error["hint"]
    for other in ("voice.wav", "recordings/of/somebody/" + "x" * 80 + ".wav", "ftp://a/b"):
        assert "values" not in error_of(door.speak(ref_audio=other))
