"""Whole files: what is written others can read, in its own pitch, length and samples."""

import struct

import numpy as np
import pytest

from studio.audio.decode import decode_clip
from studio.audio.encode import encode
from studio.audio.formats import MEDIA_TYPES, file_rate, streaming_wav_header, to_pcm16
from studio.errors import NoAudio
from tests.studio.audio.test_audio_files import heard_hz, sine


@pytest.mark.parametrize("format", ["wav", "flac", "mp3", "opus", "aac"])
@pytest.mark.parametrize("sample_rate", [8_000, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000])
def test_what_is_encoded_is_heard_again_in_pitch_and_length(format, sample_rate):
    """ADTS says nothing of the first and last frame, which aac fills up: up to 2 x 1024 samples are heard as silence."""
    clip = decode_clip(encode(sine(sample_rate), sample_rate, format))
    assert clip.seconds == pytest.approx(1.0, abs=0.005) if format != "aac" else 1.0 <= clip.seconds <= 1.0 + 2048 / sample_rate
    assert heard_hz(clip.samples, clip.sample_rate) == pytest.approx(440, abs=2)
    if format in ("wav", "flac"):
        assert clip.sample_rate == sample_rate


def test_every_format_has_a_media_type():
    assert MEDIA_TYPES == {
        "wav": "audio/wav",
        "pcm": "audio/pcm",
        "flac": "audio/flac",
        "mp3": "audio/mpeg",
        "opus": "audio/ogg",
        "aac": "audio/aac",
    }


def test_a_wav_states_its_true_sizes():
    data = encode(sine(24_000), 24_000, "wav")
    assert len(data) == 44 + 48_000
    assert struct.unpack("<I", data[4:8])[0] == len(data) - 8
    assert struct.unpack("<I", data[40:44])[0] == 48_000
    assert data[44:] == encode(sine(24_000), 24_000, "pcm")


def test_the_header_of_a_stream_is_exactly_this():
    expected = "52494646ffffffff57415645666d74201000000001000100c05d000080bb00000200100064617461ffffffff"
    assert streaming_wav_header(24_000).hex() == expected


def test_pcm_is_rounded_to_nearest_and_clipped():
    samples = np.array([0.0, 1.0, -1.0, 2.0, -2.0, 0.6 / 32768, -0.6 / 32768, 0.4 / 32768], np.float32)
    assert np.frombuffer(to_pcm16(samples), "<i2").tolist() == [0, 32767, -32768, 32767, -32768, 1, -1, 0]


def test_every_16_bit_sample_survives_decoding_and_encoding_bit_for_bit():
    every = np.arange(-32768, 32768).astype("<i2")
    wav = encode(every.astype(np.float32) / 32768, 48_000, "wav")
    assert wav[44:] == every.tobytes()
    assert to_pcm16(decode_clip(wav).samples) == every.tobytes()


@pytest.mark.parametrize("format", MEDIA_TYPES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_not_encoded_as_noise(format, bad):
    with pytest.raises(NoAudio):
        encode(np.array([0.0, bad], np.float32), 24_000, format)


@pytest.mark.parametrize("sample_rate", [7_000, 11_025, 22_050, 24_000, 37_000, 192_000])
def test_a_file_has_the_rate_of_the_sound_where_its_format_knows_it_else_the_next_higher(sample_rate):
    rates = {format: file_rate(sample_rate, format) for format in MEDIA_TYPES}
    assert {rates["wav"], rates["pcm"], rates["flac"]} == {sample_rate}
    assert rates["opus"] == (sample_rate if sample_rate == 24_000 else 48_000)
    lossy = {7_000: (8_000, 8_000), 37_000: (44_100, 44_100), 192_000: (48_000, 96_000)}.get(sample_rate, (sample_rate, sample_rate))
    assert (rates["mp3"], rates["aac"]) == lossy


@pytest.mark.parametrize("format", ["flac", "mp3", "opus", "aac"])
def test_peaks_over_full_scale_are_clipped_and_do_not_wrap(format):
    clip = decode_clip(encode(4 * sine(24_000), 24_000, format))
    delay = 1_024 if format == "aac" else 0  # its first frame, which ADTS cannot declare
    tone = sine(clip.sample_rate)[100:-100]
    assert np.sign(clip.samples[delay + 100 :][: len(tone)] * tone).mean() > 0.9
