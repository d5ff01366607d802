"""SRT and WebVTT as real files write them."""

import pytest

from studio.scripts.intake.read import read_script
from studio.scripts.script.line import LineText

SRT = "1\n00:00:01,000 --> 00:00:03,000\n{\\an8}<i>Hello</i> there\nmy friend\n\n2\n00:00:03,000 --> 00:00:04,000\n[door slams]\n"


def told(line: LineText) -> tuple[str, str, float, float, bool]:
    assert line.slot is not None
    return line.who, line.text, line.slot.start, line.slot.end, line.is_silent


def cue(text: str, times: str = "00:00:01,000 --> 00:00:03,000") -> list[tuple[str, str, float, float, bool]]:
    return [told(line) for line in read_script(f"1\n{times}\n{text}\n").lines]


def test_a_cue_is_a_line_with_its_slot_and_sounds_are_silent():
    read = read_script(SRT, "film.srt")
    assert (read.taken_for, read.head.title, read.notes) == ("srt", "film", ())
    assert [told(line) for line in read.lines] == [("", "Hello there my friend", 1.0, 3.0, False), ("", "[door slams]", 3.0, 4.0, True)]


@pytest.mark.parametrize(
    ("times", "start", "end"),
    [
        ("0:00:01.5 --> 0:00:02", 1.5, 2.0),
        ("00:01,500-->00:02,000 X1:10 Y2:20", 1.5, 2.0),
        ("00: 00: 01, 500 --> 00: 00: 02, 000", 1.5, 2.0),
        ("01:00:00,000 -> 01:00:01,25", 3600.0, 3601.25),
        ("00:00:01:500 --> 00:00:02:000", 1.5, 2.0),
    ],
)
def test_times_are_read_however_they_are_written(times, start, end):
    assert cue("Hi", times) == [("", "Hi", start, end, False)]


def test_cues_without_numbers_or_blank_lines_and_with_blank_ones_within_lose_nothing():
    read = read_script(
        "\ufeff00:00:01,000 --> 00:00:02,000\nOne\n\nstill one\n2\n00:00:02,000 --> 00:00:03,000\n1984\n\n"
        "00:00:04,000 --> 00:00:05,000\nThree\n"
    )
    assert [line.text for line in read.lines] == ["One still one", "1984", "Three"]


def test_two_who_speak_at_a_time_share_the_slot():
    assert cue("- Hi!\n- How are you, my dear?") == [("", "Hi!", 1.0, 1.259, False), ("", "How are you, my dear?", 1.259, 3.0, False)]
    assert [one[:2] for one in cue("JOHN: Hi!\nMARY (angry): No.")] == [("JOHN", "Hi!"), ("MARY", "No.")]
    assert [one[:2] for one in cue("- well-known\nthings")] == [("", "- well-known things")]


@pytest.mark.parametrize("text", ["♪ la la ♪", "[music]", "(SIGHS)", "- [laughs]", "...", "♫"])
def test_what_is_no_speech_is_silent(text):
    assert [one[4] for one in cue(text)] == [True]


@pytest.mark.parametrize("text", ["It is 12:30 now", "See http://example.org", "I said: no.", "[laughs] No."])
def test_what_is_speech_is_whole(text):
    assert cue(text) == [("", text, 1.0, 3.0, False)] or text.startswith("[")


VTT = """WEBVTT - My film

STYLE
::cue { color: red }

NOTE made by hand

intro
00:01.000 --> 00:04.000 line:0 position:20%
<v.loud Roger B>We are <b>in</b> New &amp; York
<v Neil>Yes</v>

00:04.000 --> 00:05.000
<c.yellow>a < b</c> <ruby>字<rt>じ</rt></ruby>
"""


def test_webvtt_names_who_speaks():
    read = read_script(VTT)
    assert [(line.who, line.text) for line in read.lines] == [("Roger B", "We are in New & York"), ("Neil", "Yes"), ("", "a < b 字")]
    assert read.lines[0].slot and read.lines[1].slot and read.lines[0].slot.end == read.lines[1].slot.start
    assert dict(read.notes)["note_left_out"] == {"words": "My film made by hand intro"} and [member.name for member in read.cast] == [
        "Roger B",
        "Neil",
        "",
    ]


def test_captions_that_roll_up_are_said_once():
    rolled = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\n \nso<00:00.500><c> we</c>\n\n00:02.000 --> 00:02.010\nso we\n \n\n"
        "00:02.010 --> 00:04.000\nso we\nbegin<00:03.000><c> now</c>\n"
    )
    read = read_script(rolled)
    assert [line.text for line in read.lines] == ["so we", "begin now"] and read.notes == (("note_cues_rolled", {"n": 2}),)


def test_cues_that_overlap_or_have_no_length_or_no_order_are_told():
    times = ("00:00:05,000 --> 00:00:05,000", "00:00:01,000 --> 00:00:03,000", "00:00:02,000 --> 00:00:04,000")
    read = read_script("\n".join(f"{n}\n{time}\nLine number {n} here\n" for n, time in enumerate(times)))
    assert [line.text[12] for line in read.lines] == ["1", "2", "0"] and read.lines[-1].slot and read.lines[-1].slot.end > 5.5
    assert dict(read.notes) == {"note_cues_unsorted": {"n": 1}, "note_cues_overlap": {"n": 1}, "note_cues_short": {"n": 1}}
