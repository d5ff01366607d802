"""Subtitles and other texts of a script."""

import json
import re
import zipfile
from dataclasses import replace
from itertools import pairwise

import pytest

from studio.errors import LinesUnsaid
from studio.scripts.export.export import ExportSource
from studio.scripts.keep.script_file import from_plain
from studio.speech.timed_words import TimedWord
from tests.spoken_scripts.export.conftest import Book, click, picture

WORDS = (TimedWord(0.1, 0.4, "Pay", "Pay", 0, 3), TimedWord(0.5, 0.9, "$5", "five dollars", 4, 6), TimedWord(1.0, 1.5, "now", "now", 7, 10))


@pytest.fixture
def paid(chapters: Book) -> Book:
    """A third chapter, from 8.0 s on, with a line whose words are in time, at 9.9 s."""
    chapters.say("Drei", click(0.7), kind="heading")
    line = chapters.say("Pay $5 now!", click(1.6), who="BEN & CO")
    chapters.lines[-1] = replace(line, takes=(replace(line.takes[0], words=WORDS),))
    return chapters


def text_of(book: Book, format: str, **order) -> str:
    return book.export_text(format=format, **order).path.read_text(encoding="utf-8")


def test_srt_has_names_where_the_speaker_changes(paid: Book) -> None:
    assert text_of(paid, "srt").endswith("6\n00:00:10,000 --> 00:00:11,400\nBEN & CO: Pay $5 now!\n")
    assert "BEN" not in text_of(paid, "srt", names=False)


def test_vtt_has_voices_and_karaoke_the_times_of_known_words(paid: Book) -> None:
    text = text_of(paid, "karaoke_vtt")
    assert text.endswith("00:00:10.000 --> 00:00:11.400\n<v BEN &amp; CO>Pay <00:00:10.400>$5 <00:00:10.900>now!\n")
    assert "<v ANNA>Of Eins." in text  # whose times are not known


def test_words_are_told_in_seconds_of_the_whole(paid: Book) -> None:
    *_, before, last = json.loads(text_of(paid, "words"))["lines"]
    assert (last["start"], last["who"], before["words"]) == (9.9, "BEN & CO", None)
    assert last["words"][1] == {"start": 10.4, "end": 10.8, "written": "$5", "said": "five dollars", "from": 4, "to": 6}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("It was the best of times, it was the worst of times. It was the age of wisdom; it was the age of foolishness, and of " * 3, 60),
        ("我们在一个很大的城市里，走了很久很久。那里有很多人，也有很多车，谁也不认识谁。" * 2, 25),
    ],
)
def test_long_lines_without_times_are_parted_without_losing_a_letter(book: Book, text: str, seconds: float) -> None:
    book.say(text, click(seconds))
    blocks = text_of(book, "srt").split("\n\n")
    shown = "".join("".join(block.split("\n")[2:]) for block in blocks)
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", text)
    assert len(blocks) > 3
    assert max(len(row) for block in blocks for row in block.split("\n")[2:]) <= 42
    times = [block.split("\n")[1].split(" --> ") for block in blocks]
    assert all(end <= begin for (_, end), (begin, _) in pairwise(times))


def test_files_of_text_have_the_times_of_the_sound(chapters: Book) -> None:
    file = chapters.export_text(format="srt")
    text = file.path.read_text(encoding="utf-8")
    assert (file.media_type, file.filename) == ("application/x-subrip", "Bücher- 1-2.srt")
    assert "00:00:01,900 --> 00:00:02,900\nANNA: Of Eins." in text
    assert "ANNA" not in chapters.export_text(format="vtt", names=False).path.read_text(encoding="utf-8")
    assert chapters.export_text(format="chapters").path.read_text(encoding="utf-8") == "00:00:00 Eins\n00:00:04 Zwei: das Ende\n"
    chapters.say("Unsaid.")
    with pytest.raises(LinesUnsaid):
        chapters.export_text(format="srt")


def test_the_script_comes_in_again_with_its_sounds_or_without(chapters: Book) -> None:
    chapters.say("Unsaid.", pause_seconds=2.5)
    chapters.cover = picture()
    plain = from_plain(json.loads(chapters.export_text(format="script").path.read_bytes()))
    source: ExportSource = chapters.source
    assert (plain.head, plain.cast, plain.cover) == (source.script.head, source.script.cast, chapters.cover.image)
    assert [line.text for line in plain.lines] == [line.written.text for line in chapters.lines]
    file = chapters.export_text(format="script_with_sounds")
    with zipfile.ZipFile(file.path) as archive:
        read = from_plain(json.loads(archive.read("script.json")), lambda sha256: archive.read(f"sounds/{sha256}.flac"))
    assert [(take.index, take.is_chosen) for take in read.takes] == [(n, True) for n in range(4)]
    assert read.takes[0].flac.startswith(b"flac ")
