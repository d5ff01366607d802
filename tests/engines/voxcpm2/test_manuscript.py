"""The manuscript: single blanks, instructions in parentheses, and a blank behind the words of a recording where scripts have blanks."""

import pytest

from engines.errors import TextUnspeakable
from engines.voxcpm2.text.input_text import input_text, joined


@pytest.mark.parametrize(
    ("text", "instructions", "said"),
    [
        ("Hello.", "", "Hello."),
        (" Hello\n\n there \t you ", "", "Hello there you"),
        ("Hello.", "a young woman,\n gentle ", "(a young woman, gentle)Hello."),
        ("(slowly)Hello.", "", "(slowly)Hello."),
        ("你好", " ", "你好"),
    ],
)
def test_what_the_model_is_to_say(text, instructions, said):
    assert input_text(text, instructions) == said


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_text_of_nothing_is_refused_whatever_is_asked_of_its_delivery(text):
    with pytest.raises(TextUnspeakable, match="nothing to say"):
        input_text(text, "slowly")


@pytest.mark.parametrize(
    ("words", "said", "whole"),
    [
        ("and then", "the voice", "and then the voice"),
        ("And then. ", "The voice.", "And then. The voice."),
        ("你好", "世界", "你好世界"),
        ("你好。", "世界", "你好。世界"),
        ("こんにちは", "世界", "こんにちは世界"),
        ("สวัสดี", "ครับ", "สวัสดีครับ"),
        ("안녕", "하세요", "안녕 하세요"),
        ("Привет,", "мир", "Привет, мир"),
        ("hello", "世界", "hello世界"),
    ],
)
def test_words_of_the_recording_never_run_into_what_follows(words, said, whole):
    assert joined(words, said) == whole
