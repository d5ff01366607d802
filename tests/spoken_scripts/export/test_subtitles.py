"""Subtitles and other texts of a script."""

import json
import re
import zipfile
from itertools import pairwise

import pytest

from studio.errors import LinesUnsaid
from studio.scripts.export.export import ExportSource
from studio.scripts.export.order import ExportOrder
from studio.scripts.export.text_files import export_text
from studio.scripts.keep.script_file import from_plain
from studio.speech.timed_words import TimedWord
from studio.speech.words.subtitles import SubtitledLine, cues, karaoke_vtt, srt, vtt, words_json
from tests.spoken_scripts.export.conftest import Book, picture

WORDS = (
    TimedWord(0.1, 0.4, "Pay", "Pay", 0, 3),
    TimedWord(0.5, 0.9, "$5", "five dollars", 4, 6),
    TimedWord(1.0, 1.5, "now!", "now!", 7, 11),
)
PAID = SubtitledLine(2.0, 4.0, "Pay $5 now!", "ANNA", WORDS)


def test_srt_counts_times_and_names() -> None:
    assert srt([PAID, SubtitledLine(3725.5, 3726, "a --> b")]) == (
        "1\n00:00:02,100 --> 00:00:04,000\nANNA: Pay $5 now!\n\n2\n01:02:05,500 --> 01:02:06,000\na → b\n"
    )


def test_vtt_has_voices_and_escapes() -> None:
    assert vtt([SubtitledLine(0, 1.5, "a < b & c", "Ben")]) == "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\n<v Ben>a &lt; b &amp; c\n"
    assert "<v" not in vtt([PAID], names=False)


def test_karaoke_has_a_time_before_each_word_but_the_first() -> None:
    text = karaoke_vtt([PAID])
    assert text.endswith("00:00:02.100 --> 00:00:04.000\n<v ANNA>Pay <00:00:02.500>$5 <00:00:03.000>now!\n")
    assert karaoke_vtt([SubtitledLine(0, 1, "No times.")]).endswith("\nNo times.\n")


def test_words_are_told_in_seconds_of_the_whole() -> None:
    (line,) = json.loads(words_json([PAID]))["lines"]
    assert line["words"][1] == {"start": 2.5, "end": 2.9, "written": "$5", "said": "five dollars", "from": 4, "to": 6}
    assert json.loads(words_json([SubtitledLine(0, 1, "x")]))["lines"][0]["words"] is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("It was the best of times, it was the worst of times. It was the age of wisdom; it was the age of foolishness, and of " * 3, 60),
        ("我们在一个很大的城市里，走了很久很久。那里有很多人，也有很多车，谁也不认识谁。" * 2, 25),
        ("word" * 60, 5),
    ],
)
def test_long_lines_are_parted_without_losing_a_letter(text: str, seconds: float) -> None:
    found = list(cues([SubtitledLine(0, seconds, text)]))
    assert re.sub(r"\s", "", "".join(cue.text for cue in found)) == re.sub(r"\s", "", text)
    assert found[0].start_seconds == 0
    assert found[-1].end_seconds == pytest.approx(seconds)
    assert all(cue.end_seconds == pytest.approx(after.start_seconds) for cue, after in pairwise(found))
    if len(found) > 1:
        assert all(cue.end_seconds - cue.start_seconds <= 7.01 for cue in found)
        assert max(len(cue.text) for cue in found) <= 84
        assert sum(cue.text[-1] in ".,;。，" for cue in found) >= len(found) - 1


def test_cues_of_a_line_begin_with_its_words() -> None:
    words = tuple(TimedWord(n, n + 0.5, f"w{n}.", f"w{n}", 4 * n, 4 * n + 3) for n in range(10))
    text = " ".join(word.written for word in words)
    first, second = cues([SubtitledLine(100, 111, text, "", words)])
    assert (first.start_seconds, first.end_seconds, second.start_seconds) == (100, 106.5, 107)
    assert first.text.endswith("w6.")


def export(book: Book, format: str, **order):
    return export_text(book.source, ExportOrder(format=format, **order), lambda sha256: b"flac " + sha256.encode())


def test_files_of_text_have_the_times_of_the_sound(chapters: Book) -> None:
    file = export(chapters, "srt")
    text = file.path.read_text(encoding="utf-8")
    assert (file.media_type, file.filename) == ("application/x-subrip", "Bücher- 1-2.srt")
    assert "00:00:01,900 --> 00:00:02,800\nANNA: Of Eins." in text
    assert "ANNA" not in export(chapters, "vtt", names=False).path.read_text(encoding="utf-8")
    assert export(chapters, "chapters").path.read_text(encoding="utf-8") == "00:00:00 Eins\n00:00:04 Zwei: das Ende\n"
    chapters.say("Unsaid.")
    with pytest.raises(LinesUnsaid):
        export(chapters, "srt")


def test_the_script_comes_in_again_with_its_sounds_or_without(chapters: Book) -> None:
    chapters.say("Unsaid.", pause_seconds=2.5)
    chapters.cover = picture()
    plain = from_plain(json.loads(export(chapters, "script").path.read_bytes()))
    source: ExportSource = chapters.source
    assert (plain.head, plain.cast, plain.cover) == (source.script.head, source.script.cast, chapters.cover.image)
    assert [line.text for line in plain.lines] == [line.written.text for line in chapters.lines]
    file = export(chapters, "script_with_sounds")
    with zipfile.ZipFile(file.path) as archive:
        read = from_plain(json.loads(archive.read("script.json")), lambda sha256: archive.read(f"sounds/{sha256}.flac"))
    assert [(take.index, take.is_chosen) for take in read.takes] == [(n, True) for n in range(4)]
    assert read.takes[0].flac.startswith(b"flac ")
