"""A dubbed video: the same picture, the speech where its slots are, and what becomes of the video's own sound."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from av.stream import Disposition

from studio.errors import VideoTooLarge, VideoTooLong, VideoUnreadable, VideoWithoutPicture
from studio.scripts.dubbing import video as video_module
from studio.scripts.dubbing.mux import DubbedSpeech, ShownText, mux_speech
from studio.scripts.dubbing.order import KeptSound
from studio.scripts.dubbing.video import read_video

RATE = 48_000
STARTS = (0.2, 1.0, 2.0)
Film = Callable[..., Path]


def speech(seconds: float = 2.7, **facts) -> DubbedSpeech:
    """A click of 20 ms at each of STARTS."""
    sound = np.zeros(round(seconds * RATE), np.float32)
    for start in STARTS:
        at = round(start * RATE)
        sound[at : at + 960] = 0.5 * np.sin(np.arange(960) * 2 * np.pi * 1000 / RATE)
    return DubbedSpeech(iter(np.array_split(sound, 7)), len(sound), tuple((start, start + 0.3) for start in STARTS), **facts)


def dubbed(film: Path, kept: KeptSound = "drop", kept_db: float = -40.0, **facts) -> Path:
    out = film.with_name(f"dubbed.{read_video(film).container.ending}")
    mux_speech(film, out, speech(**facts), kept, kept_db)
    return out


def packets(path: Path) -> list[tuple[float, bytes]]:
    """(seconds, bytes) of the picture."""
    with av.open(str(path)) as container:
        picture = container.streams.video[0]
        return [(round(float(packet.pts * packet.time_base), 3), bytes(packet)) for packet in container.demux(picture) if packet.size]


def heard(path: Path, track: int = 0) -> np.ndarray:
    """(C, T) float."""
    with av.open(str(path)) as container:
        resampler = av.AudioResampler(format="fltp", rate=RATE)
        frames = [made for frame in container.decode(audio=track) for made in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray() for frame in frames], axis=1)


def onsets(sound: np.ndarray, level: float = 0.25) -> list[float]:
    loud = np.flatnonzero(np.abs(sound) > level)
    return [loud[0] / RATE, *(after / RATE for before, after in pairwise(loud) if after - before > RATE // 10)]


@pytest.mark.parametrize("ending", ["mp4", "mov", "mkv", "webm"])
def test_the_picture_is_copied_and_the_speech_is_where_it_belongs(film: Film, ending: str) -> None:
    source = film(ending)
    out = dubbed(source)
    assert out.suffix == f".{ending}"
    assert packets(out) == packets(source)
    assert onsets(heard(out)[0]) == pytest.approx(STARTS, abs=0.002)
    with av.open(str(out)) as container:
        assert container.metadata["title"] == "My film"
        assert container.duration / 1e6 == pytest.approx(3.0, abs=0.02)
        assert len(container.streams.audio) == 1
        if ending in ("mp4", "mov"):
            assert next(container.decode(video=0)).rotation == 90


def test_the_own_sound_is_a_second_track_that_is_not_played_by_itself(film: Film) -> None:
    source = film("mp4")
    out = dubbed(source, "track", language="deu", title="Deutsch")
    with av.open(str(out)) as container:
        first, second = container.streams.audio
        assert (first.disposition, second.disposition) == (Disposition.default, Disposition(0))
        assert first.metadata["language"] == "deu"
    with av.open(str(source)) as before, av.open(str(out)) as after:
        assert [bytes(packet) for packet in before.demux(audio=0)] == [bytes(packet) for packet in after.demux(audio=1)]


def test_the_own_sound_lies_softly_under_the_speech(film: Film) -> None:
    sound = heard(dubbed(film("mp4"), "under", -20.0))
    assert sound.shape[0] == 2
    assert onsets(sound[0]) == pytest.approx(STARTS, abs=0.002)
    silent = sound[:, round(1.5 * RATE) : round(1.8 * RATE)]
    assert np.abs(silent).max() == pytest.approx(8000 / 32768 / 10, rel=0.1)


def test_the_own_sound_ducks_while_somebody_speaks(film: Film) -> None:
    sound = heard(dubbed(film("mkv"), "duck", -20.0))[0]
    loud = 8000 / 32768
    spoken, later = (np.abs(sound[round(start * RATE) : round((start + 0.1) * RATE)]).max() for start in (2.1, 2.85))
    assert spoken == pytest.approx(loud / 10, rel=0.2)
    assert later == pytest.approx(loud, rel=0.2)


def test_a_video_without_sound_is_dubbed_too(film: Film) -> None:
    assert onsets(heard(dubbed(film("mp4", sound=False), "under"))[0]) == pytest.approx(STARTS, abs=0.002)


def test_what_is_said_beyond_the_end_is_kept(film: Film) -> None:
    assert heard(dubbed(film("mp4"), seconds=4.5)).shape[1] / RATE == pytest.approx(4.5, abs=0.03)


@pytest.mark.parametrize("ending", ["mp4", "mkv", "webm"])
def test_lines_are_a_text_track(film: Film, ending: str) -> None:
    shown = (ShownText(0.2, 0.5, "Hällo,\nyou {there}"), ShownText(1.0, 1.3, "Zwei"))
    out = dubbed(film(ending), shown=shown, language="deu")
    with av.open(str(out)) as container:
        stream = container.streams.subtitles[0]
        cues = [packet for packet in container.demux(stream) if packet.size]
        texts = [line.dialogue.decode() for packet in cues for line in packet.decode()]
        times = [(float(packet.pts * packet.time_base), float(packet.duration * packet.time_base)) for packet in cues if packet.duration]
    assert [text for text in texts if text] == ["Hällo,\nyou (there)", "Zwei"]
    begins = [times[0], *times[1:]]
    assert any(time == pytest.approx((1.0, 0.3), abs=0.01) for time in begins)


def test_what_is_no_video_is_refused(film: Film, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.mp4").write_text("no video")
    (tmp_path / "list.m3u8").write_text("#EXTM3U\n#EXTINF:1,\nfilm.mp4\n")
    for name in ("text.mp4", "list.m3u8"):
        with pytest.raises(VideoUnreadable):
            read_video(tmp_path / name)
    with av.open(str(tmp_path / "sound.mp4"), "w") as container:
        track = container.add_stream("aac", rate=RATE, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 2048), np.int16), format="s16", layout="mono")
        frame.sample_rate = RATE
        container.mux([*track.encode(frame), *track.encode(None)])
    with pytest.raises(VideoWithoutPicture):
        read_video(tmp_path / "sound.mp4")
    path = film()
    monkeypatch.setattr(video_module, "MOST_VIDEO_SECONDS", 2.0)
    with pytest.raises(VideoTooLong):
        read_video(path)
    monkeypatch.setattr(video_module, "MOST_VIDEO_BYTES", 100)
    with pytest.raises(VideoTooLarge):
        read_video(path)
