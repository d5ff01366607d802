"""Files as players read them: chapters, titles, times, tags, cover, length."""

import zipfile

import av
import pytest

from studio.scripts.export.sound_file import SoundFileSpec, open_sound_file
from studio.scripts.export.tags import SoundTags
from tests.spoken_scripts.export.conftest import Book, click, onsets, picture

FRAME_SECONDS = 1024 / 24_000  # of AAC; those of mp3 and opus are shorter
STARTS = [0.0, 1.9, 4.0, 5.9]


def facts(path) -> tuple[dict, list, bytes | None, float]:
    """(tags, chapters, bytes of the cover, seconds)."""
    with av.open(str(path)) as container:
        base = [(float(mark["start"] * mark["time_base"]), float(mark["end"] * mark["time_base"])) for mark in container.chapters()]
        marks = [(*times, mark["metadata"]["title"]) for times, mark in zip(base, container.chapters(), strict=True)]
        tags = dict(container.streams.audio[0].metadata) | dict(container.metadata)
        cover = next((bytes(packet) for packet in container.demux(video=0)), None) if container.streams.video else None
        return tags, marks, cover, container.duration / 1e6


@pytest.mark.parametrize("format", ["m4b", "aac", "mp3", "opus", "flac", "wav"])
def test_a_book_comes_back_with_its_chapters_tags_cover_and_every_click_in_its_place(chapters: Book, format: str) -> None:
    chapters.cover = picture("png" if format in ("m4b", "opus") else "mjpeg")
    file = chapters.export(format=format)
    tags, marks, cover, seconds = facts(file.path)
    begins, _ = onsets(file.path)
    assert seconds == pytest.approx(6.8, abs=0.007)
    assert begins == pytest.approx(STARTS, abs=0.003)  # a click's first sample is zero
    assert (tags["title"], tags["artist"], tags["album"], tags["date"]) == ("Bücher: 1/2", "Ann Author", "Bücher: 1/2", "1999")
    assert (tags["genre"], tags["comment"]) == ("Audiobook", "Of books.")
    assert tags["language"] == "deu"
    if format == "wav":  # RIFF knows no narrator, no chapters and no pictures
        return
    assert tags["composer"] == "nora, anna"
    assert marks == [(0.0, 4.0, "Eins"), (4.0, pytest.approx(6.8, abs=0.008), "Zwei: das Ende")]
    assert cover == chapters.cover.image
    assert all(min(abs(begin - mark[0]) for begin in begins) < 0.003 for mark in marks)


@pytest.mark.parametrize("format", ["m4b", "mp3", "opus", "flac"])
def test_a_chapter_in_the_second_half_of_a_second_is_marked_there(book: Book, format: str) -> None:
    for title in ("One", "Two"):
        book.say(title, click(1.4), kind="heading", pause_seconds=0.3)
    assert [mark[0] for mark in facts(book.export(format=format).path)[1]] == [0.0, 1.7]


def test_an_m4b_says_that_it_is_an_audiobook(chapters: Book) -> None:
    path = chapters.export(format="m4b").path
    tags, *_ = facts(path)
    assert (tags["major_brand"], tags["media_type"]) == ("M4B ", "2")
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")  # heard before all of it is there
    assert b"chpl" in data  # marks of Nero, beside the text track of QuickTime


def test_a_wav_stays_riff_and_turns_to_rf64_where_sizes_need_it(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("studio.scripts.export.sound_file.WAV_SIZES", "always")
    path = tmp_path / "large.wav"
    with open_sound_file(path, SoundFileSpec("wav", 24_000, SoundTags("", ""))) as file:
        file.write(click(0.5).astype("float32"))
    assert path.read_bytes()[:4] == b"RF64"
    assert onsets(path)[1] == 0.5


def test_the_bits_of_a_lossless_file_are_those_of_the_takes(book: Book) -> None:
    book.say("One.", click(0.5))
    with av.open(str(book.export(format="flac").path)) as container:
        heard = [sample for frame in container.decode(audio=0) for sample in frame.to_ndarray().reshape(-1)]
    assert heard[100:] == book.takes.read(book.lines[0].takes[0].sha256)[0].tolist()[100:]


def test_chapters_and_lines_are_files_in_a_zip_with_names_for_all_systems(chapters: Book) -> None:
    chapters.say('con: "a/b" ' + "é" * 200, click(0.5))
    with zipfile.ZipFile(chapters.export(format="flac", split="chapter").path) as archive:
        assert archive.namelist() == ["01 Eins.flac", "02 Zwei- das Ende.flac"]
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        (chapters.takes_folder / "two.flac").write_bytes(archive.read("02 Zwei- das Ende.flac"))
    tags, _, _, seconds = facts(chapters.takes_folder / "two.flac")
    assert (tags["title"], tags["album"], tags["track"]) == ("Zwei: das Ende", "Bücher: 1/2", "2/2")
    assert seconds == pytest.approx(2.8 + 0.4 + 0.5)
    with zipfile.ZipFile(chapters.export(format="wav", split="line").path) as archive:
        names = archive.namelist()
    assert names[:2] == ["01 Eins.wav", "02 ANNA Of Eins.wav"]
    assert names[4].startswith("05 con- -a-b- éé")
    assert len(names[4].encode()) < 140


def test_files_of_members_are_as_long_as_the_whole(chapters: Book) -> None:
    with zipfile.ZipFile(chapters.export(format="wav", split="member").path) as archive:
        assert archive.namelist() == ["01 Bücher- 1-2.wav", "02 ANNA.wav"]
        for name, begins in zip(archive.namelist(), ([0.0, 4.0], [1.9, 5.9]), strict=True):
            (chapters.takes_folder / "part.wav").write_bytes(archive.read(name))
            assert onsets(chapters.takes_folder / "part.wav")[0] == pytest.approx(begins, abs=0.003)
            assert onsets(chapters.takes_folder / "part.wav")[1] == pytest.approx(6.8)


def test_a_file_that_is_closed_or_refused_leaves_nothing(chapters: Book, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = chapters.export(format="mp3")
    assert b"".join(file.blocks(1000)) == file.path.read_bytes()
    file.close()

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        chapters.export_with(stop, format="mp3")
    assert not list(tmp_path.iterdir())
