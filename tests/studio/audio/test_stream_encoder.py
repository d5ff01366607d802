"""Files in pieces: each leaves as soon as its format can spare it, and together they are one file."""

import io
import threading

import av
import numpy as np
import pytest
import soundfile

from studio.audio.decode import decode_clip
from studio.audio.encode import encode
from studio.audio.stream_encoder import can_stream, open_stream_encoder
from studio.errors import NoAudio
from tests.studio.audio.test_audio_files import heard_hz, sine

ENCODED = ["mp3", "opus", "flac", "aac"]
RATES = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000]
STEP_SECONDS = 0.005


def pieces(samples: np.ndarray, sample_rate: int, format: str, *, exact: bool = False) -> list[bytes]:
    """What each 5 ms, and the end, brings."""
    encoder = open_stream_encoder(format, sample_rate, exact=exact)
    step = round(sample_rate * STEP_SECONDS)
    parts = [encoder.push(samples[start : start + step]) for start in range(0, len(samples), step)]
    parts.append(encoder.finish())
    encoder.close()
    return parts


@pytest.mark.parametrize("format", ENCODED)
@pytest.mark.parametrize("sample_rate", RATES)
def test_the_pieces_are_a_file_of_the_same_pitch_and_length(format, sample_rate):
    encoder = open_stream_encoder(format, sample_rate)
    clip = decode_clip(b"".join(pieces(sine(sample_rate), sample_rate, format)))
    assert clip.sample_rate == encoder.sample_rate
    assert 1.0 <= clip.seconds + 0.0001 <= (1.0001 if format in ("opus", "flac") else 1.06)  # mp3, aac: the first and last frame
    assert heard_hz(clip.samples, clip.sample_rate) == pytest.approx(440, abs=2)
    encoder.close()


@pytest.mark.parametrize(("format", "most_seconds"), [("mp3", 0.06), ("opus", 0.045), ("flac", 0.025), ("aac", 0.05)])
@pytest.mark.parametrize("sample_rate", RATES)
def test_the_first_bytes_leave_before_the_second_frame_of_an_engine_is_made(format, most_seconds, sample_rate):
    """A frame is 80 ms, and a second one another 80 ms. The header of Ogg and FLAC leaves with the first audio and not before."""
    parts = pieces(sine(sample_rate), sample_rate, format)
    header = 200 if format in ("opus", "flac") else 0
    n_steps = next(n for n in range(len(parts)) if len(b"".join(parts[: n + 1])) > header)
    assert (n_steps + 1) * STEP_SECONDS <= most_seconds
    assert max(np.diff([0, *np.flatnonzero([len(part) for part in parts[:-1]])])) * STEP_SECONDS <= 0.06


@pytest.mark.parametrize("format", ["mp3", "aac"])
def test_a_rate_that_was_asked_for_is_the_rate_of_the_file(format):
    for sample_rate in (16_000, 22_050, 44_100):
        clip = decode_clip(b"".join(pieces(sine(sample_rate), sample_rate, format, exact=True)))
        assert clip.sample_rate == sample_rate
        assert heard_hz(clip.samples, sample_rate) == pytest.approx(440, abs=2)


def test_flac_in_pieces_has_the_samples_of_the_whole():
    whole = decode_clip(encode(sine(24_000), 24_000, "flac"))
    assert np.array_equal(decode_clip(b"".join(pieces(sine(24_000), 24_000, "flac"))).samples, whole.samples)


@pytest.mark.parametrize("format", ["wav", "pcm"])
def test_what_needs_no_encoder_is_the_samples_after_a_header(format):
    encoder = open_stream_encoder(format, 24_000)
    assert len(encoder.head) == (44 if format == "wav" else 0)
    assert encoder.push(sine(24_000)) + encoder.finish() == encode(sine(24_000), 24_000, "pcm")
    encoder.close()


@pytest.mark.parametrize("format", ENCODED)
def test_peaks_over_full_scale_do_not_wrap(format):
    clip = decode_clip(b"".join(pieces(2 * sine(48_000), 48_000, format)))
    assert np.abs(np.diff(clip.samples)).max() < 0.3


@pytest.mark.parametrize("format", [*ENCODED, "pcm"])
def test_what_is_no_number_is_an_error(format):
    encoder = open_stream_encoder(format, 24_000)
    with pytest.raises(NoAudio):
        encoder.push(np.full(100, np.nan, np.float32))
    encoder.close()


@pytest.mark.parametrize("format", ENCODED)
def test_closing_in_the_middle_frees_the_container_and_nothing_more_is_made(format, monkeypatch):
    opened, closings = av.open, []

    class Watched:
        """A container that tells of its closing."""

        def __init__(self, *args, **options):
            self._container = opened(*args, **options)

        def __getattr__(self, name):
            return getattr(self._container, name)

        def close(self):
            closings.append(self)
            self._container.close()

    monkeypatch.setattr(av, "open", Watched)
    encoder = open_stream_encoder(format, 24_000)
    encoder.push(sine(24_000))
    encoder.close()
    encoder.close()
    assert encoder.push(sine(24_000)) == encoder.finish() == b""
    assert len(closings) == 1


def test_closing_waits_for_a_push_in_another_thread():
    for _ in range(20):
        encoder = open_stream_encoder("mp3", 24_000)
        pushing = threading.Thread(target=lambda encoder=encoder: [encoder.push(sine(24_000, 0.2)) for _ in range(20)])
        pushing.start()
        encoder.close()
        pushing.join(60)
        assert not pushing.is_alive()


def test_the_encoders_are_there():
    """PyAV's own wheels bring all four."""
    assert [can_stream(format) for format in [*ENCODED, "wav", "pcm"]] == [True] * 6


def test_libsndfile_reads_them_too():
    for format in ("mp3", "opus"):
        samples, rate = soundfile.read(io.BytesIO(b"".join(pieces(sine(24_000), 24_000, format))), dtype="float32")
        assert heard_hz(samples, rate) == pytest.approx(440, abs=2)
