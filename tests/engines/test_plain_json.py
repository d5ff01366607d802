"""How deep lists and objects may lie in each other is one number, whatever this Python bears, and brackets in words are none."""

import json

import pytest

from engines.plain_json import MOST_DEPTH, JsonTooDeep, check_depth, read_json

OPEN = "[" * 200


@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a": ', "}"), ('[{"\\\\": ', "}]")])
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_depth_is_bounded_by_our_own_number(opening, closing, encoding):
    def nested(depth: int) -> str | bytes:
        n = depth // len(closing)
        text = opening * n + "0" + closing * n
        return text.encode(encoding) if encoding else text

    assert read_json(nested(MOST_DEPTH)) == json.loads(nested(MOST_DEPTH))
    for depth in (MOST_DEPTH + len(closing), 500, 2_000, 20_000, 200_000):
        with pytest.raises(JsonTooDeep, match=f"More than {MOST_DEPTH}"):
            read_json(nested(depth))


@pytest.mark.parametrize("word", ["[" * 200, "{[" * 200, '\\"[' * 200, "\\\\[" * 200, "é[" * 200, "\n" + "]" * 200])
def test_brackets_in_words_are_no_depth(word):
    written = json.dumps([word, {word: [word]}])
    assert read_json(written) == read_json(written.encode()) == json.loads(written)
    side_by_side = "[" + ", ".join(["[{}]"] * 10_000) + "]"
    assert len(read_json(side_by_side)) == 10_000


@pytest.mark.parametrize("text", ["", f'"{OPEN}', f'"\\{OPEN}', "]" * 200, "\ufeff[]", b"\xff" + OPEN.encode(), f'["{OPEN}\\"'])
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        read_json(text)


def test_a_string_of_a_million_escapes_is_measured():
    check_depth('"' + "\\u005b" * 1_000_000 + '", ' + "[]" * 100)
