"""Loudness by target: what is reached, what the limiter does, and what is told."""

import av
import numpy as np
import pytest

from studio.audio.loudness import integrated_loudness
from studio.scripts.export.check import check_export
from studio.scripts.export.levels import TakeLevelsCache
from studio.scripts.export.order import ExportOrder
from tests.spoken_scripts.export.conftest import RATE, Book, voice


@pytest.fixture
def spoken(book: Book) -> Book:
    """Two people of different loudness, soft, with little noise."""
    for number, (who, level) in enumerate((("", 0.02), ("ANNA", 0.05), ("", 0.02))):
        book.say(f"Line {number}.", voice(4, level=level, noise=2e-5, seed=number), who=who, kind="heading" if number == 2 else "line")
    return book


def samples(path) -> np.ndarray:
    with av.open(str(path)) as container:
        return np.concatenate([frame.to_ndarray().reshape(-1) for frame in container.decode(audio=0)]).astype(np.float32) / 32768


@pytest.mark.parametrize("target", ["-16", "-19"])
def test_a_loudness_is_reached_below_the_ceiling(spoken: Book, target: str) -> None:
    file = spoken.export(format="wav", loudness=target)
    (report,) = file.report.loudness
    assert report.is_met
    assert target in report.met
    heard = samples(file.path)
    assert integrated_loudness(heard, RATE) == pytest.approx(float(target), abs=0.5)
    assert report.after.lufs == pytest.approx(integrated_loudness(heard, RATE), abs=0.01)
    assert report.after.peak_dbtp <= -0.95
    assert report.before.lufs + report.gain_db >= float(target) - 0.01  # more where the limiter takes some away


def test_acx_is_met_with_its_rate_its_ends_and_a_noise_that_is_told(spoken: Book) -> None:
    file = spoken.export(format="mp3", loudness="acx")
    (report,) = file.report.loudness
    assert {check.figure: check.is_met for check in report.checks} == {"rms": True, "peak": True, "noise": True}
    assert -23 <= report.after.rms_db <= -18
    assert report.after.peak_dbtp <= -3
    with av.open(str(file.path)) as container:
        stream = container.streams.audio[0]
        assert (stream.codec_context.sample_rate, stream.codec_context.bit_rate) == (44_100, 192_000)
        heard = np.concatenate([frame.to_ndarray().reshape(-1) for frame in container.decode(stream)])
    loud = np.flatnonzero(np.abs(heard) > 0.003)
    assert 0.5 < loud[0] / 44_100 < 1.2
    assert 1 < (len(heard) - loud[-1]) / 44_100 < 5


def test_the_noise_of_a_voice_is_why_acx_is_not_met(spoken: Book) -> None:
    spoken.say("Noisy.", voice(4, level=0.05, noise=1e-3, seed=9), who="BEN")
    check = check_export(spoken.source, ExportOrder(format="wav", loudness="acx"), TakeLevelsCache())
    (report,) = check.loudness
    assert [found.figure for found in report.checks if not found.is_met] == ["noise"]
    assert report.noisiest == "BEN"
    # 1e-3 is -60 dBFS, before the gain
    assert report.after.noise_db == pytest.approx(-60 + report.gain_db, abs=1.5)


def test_only_peaks_above_the_ceiling_are_limited(book: Book) -> None:
    sound = 0.02 * np.sin(np.arange(6 * RATE) * 2 * np.pi * 300 / RATE)
    sound[3 * RATE : 3 * RATE + 200] *= 40
    book.say("A crack.", sound)
    file = book.export(format="wav", loudness="-16")
    (report,) = file.report.loudness
    heard, louder = samples(file.path), sound * 10 ** (report.gain_db / 20)
    assert 0.02 < report.limited_seconds < 0.1
    assert report.limited_db > 6
    assert np.abs(heard).max() <= 10 ** (-0.95 / 20)
    assert np.abs(heard - louder)[RATE : 2 * RATE].max() < 2e-4  # takes and files have 16 bits


def test_without_a_target_the_takes_stay_as_they_are(spoken: Book) -> None:
    (report,) = spoken.export(format="wav").report.loudness
    assert (report.gain_db, report.limited_seconds) == (0.0, 0.0)
    assert report.after.lufs == pytest.approx(report.before.lufs, abs=0.15)
    assert report.is_met


def test_each_file_of_a_chapter_has_the_loudness_and_files_of_lines_one_gain(spoken: Book) -> None:
    chapters = spoken.export(format="wav", split="chapter", loudness="-19").report.loudness
    assert [round(report.after.lufs) for report in chapters] == [-19, -19]
    assert len({round(report.gain_db, 1) for report in chapters}) == 2
    lines = spoken.export(format="wav", split="line", loudness="-19").report.loudness
    assert len({report.gain_db for report in lines}) == 1


def test_a_check_tells_what_the_export_reaches_and_reads_each_take_once(spoken: Book) -> None:
    levels, order = TakeLevelsCache(), ExportOrder(format="wav", loudness="-16")
    (told,) = check_export(spoken.source, order, levels).loudness
    check_export(spoken.source, order, levels)
    assert spoken.takes.n_read == 3
    (found,) = spoken.export(format="wav", loudness="-16").report.loudness
    assert (told.is_met, told.met) == (found.is_met, found.met)
    assert told.after.lufs == pytest.approx(found.after.lufs, abs=0.5)
    assert told.after.peak_dbtp == pytest.approx(found.after.peak_dbtp, abs=0.2)


def test_silence_meets_no_loudness_and_is_not_amplified(book: Book) -> None:
    book.say("Hush.", np.zeros(RATE))
    (report,) = book.export(format="wav", loudness="-16").report.loudness
    assert (report.gain_db, report.is_met, report.after.lufs) == (0.0, False, None)


@pytest.mark.parametrize("format", ["mp3", "opus", "aac"])
def test_what_a_lossy_file_is_heard_at_is_what_was_told(spoken: Book, format: str) -> None:
    file = spoken.export(format=format, loudness="-19")
    with av.open(str(file.path)) as container:
        heard = np.concatenate([frame.to_ndarray().reshape(-1) for frame in container.decode(audio=0)]).astype(np.float32)
        rate = container.streams.audio[0].codec_context.sample_rate
    assert integrated_loudness(heard, rate) == pytest.approx(file.report.loudness[0].after.lufs, abs=0.3)
