"""What is told of a voice is in words that OmniVoice learned, put as upstream puts them (omnivoice 0.2.1, _resolve_instruct)."""

from hashlib import sha256
from itertools import product

import pytest

from engines.errors import OptionInvalid
from engines.omnivoice.text.voice_attributes import ATTRIBUTES, voice_description

ENGLISH, CHINESE = "Hello there.", "Hello, 你好。"


# Of the official words, those that stand for the same in both languages with "=" between them, each kind in a line of its own.
OF_WORDS = "f0f4d3339c95a6d02351807c5ca3ac3a6a2be16ec075b3db4bb6a446dafc22a3"


def kind_of(word: str) -> str:
    return next(kind for kind, words in ATTRIBUTES.items() if word in words or word in words.values())


def refused(said: str, text: str = ENGLISH) -> OptionInvalid:
    with pytest.raises(OptionInvalid) as invalid:
        voice_description(said, text)
    assert invalid.value.parameter == "instructions" and invalid.value.fact and invalid.value.hint
    return invalid.value


@pytest.mark.parametrize(
    ("said", "text", "description"),
    [
        ("Male, LOW pitch", ENGLISH, "male, low pitch"),
        ("Male,low pitch", CHINESE, "男，低音调"),
        ("男，耳语", ENGLISH, "male, whisper"),
        (" ，female,, young adult ,", ENGLISH, "female, young adult"),
        ("male, British accent", CHINESE, "male, british accent"),
        ("男, indian accent", CHINESE, "male, indian accent"),
        ("female, 四川话", ENGLISH, "女，四川话"),
        ("东北话", ENGLISH, "东北话"),
        ("", ENGLISH, None),
        (" \n", CHINESE, None),
        (",，", ENGLISH, None),
    ],
)
def test_attributes_are_handed_on_in_the_language_of_the_text(said, text, description):
    assert voice_description(said, text) == description


def test_the_words_are_the_official_ones():
    lines = "\n".join(",".join(sorted(f"{one}={other}" if other else one for one, other in words.items())) for words in ATTRIBUTES.values())
    assert sha256(lines.encode()).hexdigest() == OF_WORDS


def test_two_attributes_go_together_unless_they_are_of_one_kind_or_of_two_languages():
    words = [word for known in ATTRIBUTES.values() for pair in known.items() for word in pair if word]
    assert len(words) == 2 * 13 + 22 and len(ATTRIBUTES) == 6
    n_refused = 0
    for one, other in product(words, words):
        kinds = {kind_of(one), kind_of(other)}
        if len(kinds) == 1 or kinds == {"accent", "dialect"}:
            assert refused(f"{one}, {other}").values["sentence"] == ("attributes_of_one_kind" if len(kinds) == 1 else "accent_and_dialect")
            n_refused += 1
        else:
            assert voice_description(f"{one}, {other}", ENGLISH).count(",") + voice_description(f"{one}, {other}", CHINESE).count("，") in (
                1,
                2,
            )
    assert n_refused == 4**2 + 2 * 10**2 + 2**2 + 10**2 + 12**2 + 2 * 10 * 12


def test_what_is_no_attribute_is_answered_with_the_nearest():
    error = refused("male, yung adult")
    assert error.values == {
        "option": "instructions",
        "sentence": "attribute_unknown_but_near",
        "value": "yung adult",
        "nearest": ("young adult",),
    }
    assert refused("四川").values["nearest"] == ("四川话",)
    assert refused("male; female").values["nearest"]


def test_what_is_near_to_nothing_is_answered_with_all_there_is_in_its_script():
    assert refused("sparkling").values["choices"][:3] == ["male", "female", "child"]
    assert refused("温柔").values["choices"][-1] == "东北话"
    assert len(refused("x" * 5000).fact) < 200
