"""Words in time as SRT, WebVTT, karaoke and JSON: what is shown at once, where lines end, and for how long."""

import json
import re

import pytest

from studio.speech.timed_words import TimedWord
from studio.speech.words.cues import CueRules, cues_of
from studio.speech.words.subtitles import karaoke_vtt, srt, vtt, words_json

LONG = (
    "Then, after a long and rather boring afternoon in the garden, they went home together and slept. Nobody heard of them again; "
    "the house was empty, and the grass grew high in front of the windows that nobody ever opened."
)


def timed(text, seconds=0.4, pattern=r"[\w'’]+"):
    spans = [match.span() for match in re.finditer(pattern, text)]
    return [TimedWord(at * seconds, (at + 1) * seconds, text[a:b], text[a:b], a, b) for at, (a, b) in enumerate(spans)]


def test_a_cue_has_two_lines_of_42_characters_at_most_and_no_word_is_lost():
    cues = cues_of(timed(LONG), LONG)
    assert all(len(cue.lines) <= 2 and all(len(line) <= 42 for line in cue.lines) for cue in cues)
    assert " ".join(line for cue in cues for line in cue.lines) == LONG
    assert all(cue.end_seconds - cue.start_seconds <= 7.0 + 1e-6 for cue in cues)


def test_cues_end_with_sentences_and_clauses_where_they_can():
    cues = cues_of(timed(LONG, 0.2), LONG)
    ends = [cue.lines[-1][-1] for cue in cues]
    assert ends[-1] == "." and sum(end in ".,;" for end in ends) >= len(ends) - 1
    assert any(cue.lines[-1].endswith("slept.") for cue in cues)


def test_a_short_cue_is_shown_for_a_second_and_ends_before_the_next():
    text = "Yes. No."
    words = [TimedWord(0.0, 0.3, "Yes", "Yes", 0, 3), TimedWord(3.0, 3.3, "No", "No", 5, 7)]
    first, second = cues_of(words, text)
    assert (first.lines, first.end_seconds) == (("Yes.",), 1.0)
    assert (second.lines, second.end_seconds) == (("No.",), 4.0)
    near = [words[0], TimedWord(1.2, 1.5, "No", "No", 5, 7)]
    first, _ = cues_of(near, text, CueRules(most_pause_seconds=0.5))
    assert first.end_seconds <= 1.2 - 2 / 24 + 1e-9


def test_srt_and_vtt_have_their_times_and_signs():
    text = 'He said: "A < B & C" (twice).'
    words = timed(text)
    assert srt(words, text).startswith("1\n00:00:00,000 --> 00:00:02,400\n")
    shown = vtt(words, text)
    assert shown.startswith("WEBVTT\n\n00:00:00.000 --> ") and "A &lt; B &amp; C" in shown
    late = [TimedWord(3600 * 100 + 61.5, 3600 * 100 + 63, "late", "late", 0, 4)]
    assert "100:01:01.500 --> 100:01:03.000" in vtt(late, "late")


def test_karaoke_has_the_time_of_each_word_in_order_and_the_same_text():
    shown = karaoke_vtt(timed(LONG), LONG)
    lines = [line for line in shown.splitlines() if line and "-->" not in line and line != "WEBVTT"]
    assert re.sub(r"<[\d:.]+>", "", " ".join(lines)) == LONG
    for block in shown.split("\n\n")[1:]:
        head, *body = block.strip().split("\n")
        start, end = re.findall(r"[\d:.]{12}", head)
        times = re.findall(r"<([\d:.]+)>", "".join(body))
        assert times == sorted(times) and (not times or (start < times[0] and times[-1] < end))
    assert "<00:00:00.400>(b)" in karaoke_vtt(timed("a (b)"), "a (b)")


def test_marks_of_layout_are_not_shown_and_other_signs_are():
    text = "A **bold** word -- see *it*."
    assert srt(timed(text), text).splitlines()[2] == "A bold word -- see it."


def test_chinese_has_sixteen_characters_a_line_and_no_blanks():
    text = "然后我们在一家小饭馆里吃了一顿非常好吃的晚饭，大家都很高兴，后来我们一起走回家去了。"
    cues = cues_of(timed(text, 0.2, r"[\u4e00-\u9fff]"), text)
    assert "".join(line for cue in cues for line in cue.lines) == text
    assert all(len(line) <= 17 for cue in cues for line in cue.lines)  # a mark at its end may stand out by one
    assert len(cues[0].lines) == 2


def test_what_is_written_from_right_to_left_is_marked_in_srt_alone():
    text = "مرحبا بالعالم"
    assert "\u202bمرحبا بالعالم\u202c" in srt(timed(text), text)
    assert "\u202b" not in vtt(timed(text), text)


def test_json_has_seconds_and_places_and_nothing_of_nobody():
    text = "It is $5."
    told = json.loads(words_json([TimedWord(0.1, 0.61, "$5", "five dollars", 6, 8)], text))
    assert told == {"text": text, "words": [{"start": 0.1, "end": 0.61, "written": "$5", "said": "five dollars", "from": 6, "to": 8}]}
    assert (srt([], text), vtt([], text)) == ("", "WEBVTT\n")


@pytest.mark.parametrize("text", ["Supercalifragilisticexpialidocious" * 2, "a" * 100])
def test_a_word_that_no_line_holds_is_a_line(text):
    (cue,) = cues_of(timed(text), text)
    assert cue.lines == (text,)
