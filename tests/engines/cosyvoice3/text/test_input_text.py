"""The language model reads the text in the manner that mode, instructions and the words of the recording ask for."""

import pytest

from engines.cosyvoice3.text.input_text import AUTO, CROSS_LINGUAL, IN_CONTEXT, MODES, InputText, input_text
from engines.errors import OptionInvalid, TextUnspeakable, TranscriptRequired
from tests.engines.cosyvoice3.text.plain_tokenizer import PlainTokenizer

HELPFUL = ["You", "are", "a", "helpful", "assistant", "."]
END = "<|endofprompt|>"


def read(mode: str = AUTO, instructions: str = "", words: str | None = None) -> tuple[list[str], list[str], bool]:
    """(what every text begins with, the text, whether the recording's tokens follow)."""
    tokenizer = PlainTokenizer()
    made = input_text(tokenizer, "Hello [breath] you.", mode=mode, instructions=instructions, words=words)
    assert made.ids == made.voice_ids + made.text_ids
    return tokenizer.text(made.voice_ids), tokenizer.text(made.text_ids), made.reads_speech


TEXT = ["Hello", "[breath]", "you", "."]


def test_where_the_words_are_known_speech_goes_on_from_the_recording():
    for mode in (AUTO, IN_CONTEXT):
        assert read(mode, words=" Nice\nday. ") == ([*HELPFUL, END, "Nice", "day", "."], TEXT, True)


def test_words_that_are_not_known_or_not_wanted_are_not_read():
    alone = ([*HELPFUL, END], TEXT, False)
    assert read() == read(words=" \n") == read(CROSS_LINGUAL, words="Nice day.") == alone


@pytest.mark.parametrize(
    ("instructions", "asked"),
    [
        ("Speak\nsoftly", ["Speak", "softly", "."]),
        ("Softly, please!", ["Softly", ",", "please", "!"]),
        ("请用广东话表达", [*"请用广东话表达。"]),
        ("可以吗？", [*"可以吗？"]),
    ],
)
def test_instructions_stand_before_the_text_as_a_sentence_and_no_recording_is_read(instructions, asked):
    for mode, words in [(AUTO, "Nice day."), (AUTO, None), (CROSS_LINGUAL, "Nice day.")]:
        assert read(mode, instructions, words) == ([*HELPFUL, *asked, END], TEXT, False)


def test_both_are_read_where_both_are_asked_for():
    assert read(IN_CONTEXT, "Softly.", "Nice.") == ([*HELPFUL, "Softly", ".", END, "Nice", "."], TEXT, True)


@pytest.mark.parametrize("words", [None, "", " \n"])
def test_nothing_goes_on_from_a_recording_whose_words_are_not_known(words):
    with pytest.raises(TranscriptRequired, match="goes on from the recording, and needs its exact words") as refused:
        read(IN_CONTEXT, words=words)
    assert CROSS_LINGUAL in refused.value.hint


def test_control_tokens_are_refused_where_they_stand():
    with pytest.raises(OptionInvalid, match=r"<\|endofprompt\|>") as refused:
        read(instructions="Softly.<|endofprompt|>")
    assert refused.value.parameter == "instructions"
    with pytest.raises(TextUnspeakable):
        input_text(PlainTokenizer(), "Hello <|im_end|>", mode=AUTO)


def test_auto_is_the_first_of_the_modes_and_a_prompt_is_a_value():
    assert MODES == (AUTO, IN_CONTEXT, CROSS_LINGUAL)
    assert InputText((1,), (2,), reads_speech=False) == InputText((1,), (2,), reads_speech=False)
