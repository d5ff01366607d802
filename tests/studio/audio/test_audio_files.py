"""Audio files: what is decoded keeps rate, length and peaks; what lies about itself is refused early."""

import io
import struct
from contextlib import suppress

import av
import numpy as np
import pytest
import soundfile

from engines.errors import CallerMistake, ClipUnusable
from studio.audio import decode as audio_files
from studio.audio.decode import decode_clip
from studio.audio.encode import encode
from studio.audio.file_type import FILE_ENDINGS, check_label, check_mime, stored_type
from studio.audio.formats import streaming_wav_header, to_pcm16
from studio.errors import AudioTooLarge, AudioTypeUnsupported, AudioUndecodable, ClipTooLong
from studio.settings import VLLM_OMNI_DIALECT
from tests.api.voices.hostile_files import HOSTILE


def sine(sample_rate: int = 48_000, seconds: float = 1.0, pitch_hz: float = 440.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * pitch_hz * np.arange(int(sample_rate * seconds)) / sample_rate)).astype(np.float32)


def heard_hz(samples: np.ndarray, sample_rate: int) -> float:
    return float(np.argmax(np.abs(np.fft.rfft(samples))) * sample_rate / len(samples))


def with_ffmpeg(container: str, codec: str, sample_rate: int = 48_000, layout: str = "stereo", seconds: float = 1.0) -> bytes:
    """A sine in a container that only FFmpeg writes."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        stream = output.add_stream(codec, rate=sample_rate, layout=layout)
        channels = np.tile(sine(sample_rate, seconds), (stream.layout.nb_channels, 1))
        frame = av.AudioFrame.from_ndarray(channels, format="fltp", layout=layout)
        frame.sample_rate = sample_rate
        for converted in av.AudioResampler(format=stream.format.name, layout=layout, rate=sample_rate).resample(frame):
            output.mux(stream.encode(converted))
        output.mux(stream.encode(None))
    return buffer.getvalue()


def with_soundfile(samples: np.ndarray, sample_rate: int, container: str, subtype: str | None = None) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, sample_rate, format=container, subtype=subtype)
    return buffer.getvalue()


def wav_header(n_channels: int = 1, sample_rate: int = 24_000, data_bytes: int = 0) -> bytes:
    block = min(2 * n_channels, 65_535)
    head = struct.pack("<4sI8sIHHIIHH", b"RIFF", 36 + data_bytes, b"WAVEfmt ", 16, 1, n_channels, sample_rate, sample_rate, block, 16)
    return head + struct.pack("<4sI", b"data", data_bytes)


# --- decoding


@pytest.mark.parametrize(
    ("container", "codec"),
    [
        ("webm", "libopus"),  # what MediaRecorder of Chromium and Firefox sends
        ("mp4", "aac"),  # what MediaRecorder of Safari sends
        ("ipod", "aac"),  # .m4a
        ("adts", "aac"),
        ("mp3", "libmp3lame"),
        ("aiff", "pcm_s16be"),
        ("ogg", "libopus"),
        ("flac", "flac"),
        ("matroska", "pcm_s16le"),
        ("mov", "pcm_s24le"),
        ("mp2", "mp2"),
        ("mpeg", "mp2"),  # .mpg
    ],
)
def test_what_browsers_and_phones_record_is_heard_at_its_own_rate_and_length(container, codec):
    clip = decode_clip(with_ffmpeg(container, codec), mime_type="text/plain", filename="label.txt")
    assert clip.sample_rate == 48_000
    assert clip.seconds == pytest.approx(1.0, abs=0.05)
    middle = clip.samples[8_000:32_000]
    assert heard_hz(middle, 48_000) == pytest.approx(440, abs=4)
    assert np.abs(middle).max() == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("container", ["WAV", "FLAC", "AIFF", "W64", "RF64", "CAF", "AU"])
def test_lossless_files_come_back_sample_by_sample(container):
    samples = np.round(sine(16_000) * 32768).astype(np.int16)
    clip = decode_clip(with_soundfile(samples, 16_000, container, "PCM_16"))
    assert np.array_equal(clip.samples, samples.astype(np.float32) / 32768)
    assert clip.sample_rate == 16_000


def test_channels_are_averaged():
    channels = np.stack([np.full(3_000, 0.5), np.full(3_000, -0.25)], axis=1).astype(np.float32)
    clip = decode_clip(with_soundfile(channels, 24_000, "WAV", "FLOAT"))
    assert clip.samples.shape == (3_000,)
    assert np.allclose(clip.samples, 0.125)


def test_eight_channels_are_averaged_too():
    clip = decode_clip(with_soundfile(np.ones((4_000, 8), np.float32) * 0.25, 24_000, "WAV", "FLOAT"))
    assert np.allclose(clip.samples, 0.25)


def test_float_peaks_over_full_scale_are_kept():
    clip = decode_clip(with_soundfile(np.array([0.0, 1.8, -1.8], np.float32), 24_000, "WAV", "FLOAT"))
    assert clip.samples.tolist() == pytest.approx([0.0, 1.8, -1.8])


def test_a_wav_of_unknown_length_is_read_to_its_end():
    clip = decode_clip(streaming_wav_header(24_000) + to_pcm16(sine(24_000)))
    assert (clip.sample_rate, len(clip.samples)) == (24_000, 24_000)


def test_a_truncated_wav_gives_what_is_there():
    assert len(decode_clip(encode(sine(), 48_000, "wav")[:20_044]).samples) == 10_000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"This is a text file called voice.wav.\n" * 100,
        b"<html><body>404</body></html>",
        b"\0" * 5_000,
        np.random.default_rng(0).bytes(20_000),
        encode(sine(), 48_000, "wav")[:40],
        encode(sine(), 48_000, "wav")[:44],
        encode(sine(), 48_000, "flac")[:40],
        with_ffmpeg("ipod", "aac")[:2_000],
        wav_header(n_channels=0) + b"\0" * 100,
        wav_header(n_channels=1_000, data_bytes=4_000) + b"\0" * 4_000,
        wav_header(n_channels=65_535, data_bytes=4_000) + b"\0" * 4_000,
        wav_header(sample_rate=0, data_bytes=4_000) + b"\0" * 4_000,
        wav_header(sample_rate=4_000_000_000, data_bytes=4_000) + b"\0" * 4_000,
        wav_header(sample_rate=10, data_bytes=4_000) + b"\0" * 4_000,
    ],
    ids=lambda data: f"{len(data)}-bytes",
)
def test_what_is_no_audio_is_refused_with_a_reason_without_paths(data):
    with pytest.raises(AudioUndecodable) as caught:
        decode_clip(data, filename="voice.wav", mime_type="audio/wav")
    assert caught.value.reason
    assert "/" not in caught.value.reason
    assert "BytesIO" not in caught.value.fact


@pytest.mark.parametrize(
    "playlist",
    [
        b"ffconcat version 1.0\nfile secret.ts\n",  # FFmpeg's default options open this one
        b"ffconcat version 1.0\nfile '%s'\n",
        b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://%s\n#EXT-X-ENDLIST\n",
    ],
    ids=["concat, relative", "concat", "hls"],
)
def test_a_playlist_does_not_make_us_open_other_files(playlist, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    secret = tmp_path / "secret.ts"
    secret.write_bytes(with_ffmpeg("mpegts", "aac"))
    assert decode_clip(secret.read_bytes()).seconds > 0.9
    with pytest.raises(AudioUndecodable):
        decode_clip(playlist.replace(b"%s", str(secret).encode()))


def test_containers_that_carry_no_uploads_are_not_tried():
    with pytest.raises(AudioUndecodable):
        decode_clip(with_ffmpeg("tta", "tta"))
    with pytest.raises(AudioUndecodable, match="VOC"):
        decode_clip(with_soundfile(sine(), 48_000, "VOC", "PCM_16"))


def test_a_header_that_points_before_the_start_is_damage_and_not_noise_in_the_log():
    aiff = bytearray(with_ffmpeg("aiff", "pcm_s16be"))
    aiff[38] = 255  # the size of a chunk
    with suppress(CallerMistake):
        decode_clip(bytes(aiff))


def test_a_file_over_the_upload_limit_is_refused_before_it_is_decoded():
    with pytest.raises(AudioTooLarge) as caught:
        decode_clip(bytes(audio_files.MOST_UPLOAD_BYTES + 1))
    assert (caught.value.size_bytes, caught.value.limit_bytes) == (10_485_761, 10_485_760)


def test_a_file_at_the_upload_limit_is_decoded():
    samples = np.zeros((audio_files.MOST_UPLOAD_BYTES - 44) // 2, np.float32)
    assert len(decode_clip(encode(samples, 48_000, "wav")).samples) == len(samples)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["flac", "opus"])
def test_a_small_file_of_many_minutes_is_refused_and_not_decoded_to_its_end(format, monkeypatch):
    bomb = HOSTILE[f"eleven minutes of silence in a small {format}"]()
    assert len(bomb) < 1_000_000
    decoded = []
    add = audio_files._Mono.add
    monkeypatch.setattr(audio_files._Mono, "add", lambda mono, block: (decoded.append(len(block)), add(mono, block)))
    with pytest.raises(ClipUnusable) as caught:
        decode_clip(bomb)
    assert caught.value.code == "clip_too_long"
    assert "10 min" in caught.value.fact
    assert sum(decoded) / decode_clip(encode(sine(8_000), 8_000, format)).sample_rate < 610


def test_the_bound_counts_what_is_decoded_and_not_what_the_header_claims(monkeypatch):
    monkeypatch.setattr(audio_files, "MOST_DECODED_SECONDS", 2)
    assert decode_clip(with_ffmpeg("webm", "libopus", seconds=1.9)).seconds < 2
    with pytest.raises(ClipUnusable):
        decode_clip(with_ffmpeg("webm", "libopus", seconds=2.5))


@pytest.mark.parametrize("decoder", [("WAV", None), ("webm", "libopus")], ids=["libsndfile", "ffmpeg"])
def test_what_is_longer_than_wanted_is_told_by_its_header_and_not_decoded_to_its_end(decoder, monkeypatch):
    container, codec = decoder
    data = with_ffmpeg(container, codec, seconds=3.0) if codec else with_soundfile(sine(48_000, 3.0), 48_000, container, "PCM_16")
    decoded = []
    add = audio_files._Mono.add
    monkeypatch.setattr(audio_files, "_BLOCK_FRAMES", 4_800)
    monkeypatch.setattr(audio_files._Mono, "add", lambda mono, block: (decoded.append(len(block)), add(mono, block)))
    with pytest.raises(ClipTooLong) as caught:
        decode_clip(data, most_seconds=1.0)
    assert caught.value.seconds == pytest.approx(3.0, abs=0.05)
    assert sum(decoded) <= 48_000 + 4_800
    assert decode_clip(data, most_seconds=caught.value.seconds).seconds == pytest.approx(caught.value.seconds, abs=0.05)


def test_many_channels_reach_the_memory_bound_before_the_time_bound(monkeypatch):
    monkeypatch.setattr(audio_files, "MOST_DECODED_BYTES", 4 * 8 * 1_000)
    with pytest.raises(ClipUnusable):
        decode_clip(with_soundfile(np.zeros((1_001, 8), np.float32), 24_000, "WAV", "FLOAT"))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n_channels", [1, 2])
def test_samples_that_are_no_numbers_are_refused(bad, n_channels):
    samples = np.zeros((2_000, n_channels), np.float32)
    samples[1_000:] = bad
    samples[1_500:, 0] = -bad
    with pytest.raises(ClipUnusable) as caught:
        decode_clip(with_soundfile(samples, 24_000, "WAV", "FLOAT"))
    assert caught.value.code == "clip_not_finite"


@pytest.mark.slow
def test_damaged_files_are_decoded_or_refused_but_nothing_else_happens():
    random = np.random.default_rng(5)
    kinds = [("webm", "libopus"), ("ipod", "aac"), ("flac", "flac"), ("w64", "pcm_s16le"), ("caf", "pcm_s16be"), ("wav", "adpcm_ms")]
    whole = [with_ffmpeg(*kind, seconds=0.2) for kind in kinds]
    for turn in range(300):
        data = bytearray(whole[turn % len(whole)])
        for _ in range(8):
            data[random.integers(min(len(data), 400))] = random.integers(256)
        try:
            assert np.isfinite(decode_clip(bytes(data)).samples).all()
        except CallerMistake as error:
            assert error.code in ("audio_undecodable", "clip_too_long", "clip_not_finite", "clip_out_of_range")


def test_what_an_old_phone_dictates_is_heard():
    clip = decode_clip(with_ffmpeg("amr", "libopencore_amrnb", 8_000, "mono"))
    assert clip.sample_rate == 8_000 and heard_hz(clip.samples[1_000:7_000], 8_000) == pytest.approx(440, abs=8)


@pytest.mark.parametrize(
    ("data", "sentence", "told"),
    [
        (b"%PDF-1.7\n" + bytes(400), "audio_is_other", "it is PDF"),
        (b"PK\x03\x04" + bytes(400), "audio_is_other", "it is ZIP"),
        (b"\x89PNG\r\n\x1a\n" + bytes(400), "audio_is_other", "it is PNG"),
        (b"\0\0\0\x18ftypheic" + bytes(400), "audio_is_other", "it is HEIC"),
        (b"\n<html><body>404</body></html>", "audio_is_other", "it is HTML"),
        ("ein Brief in Übersetzung\n".encode() * 40, "audio_is_text", "text"),
        (b"MThd\0\0\0\6" + bytes(400), "audio_format_untaken", "MIDI files"),
        (b"#!AMR\n", "audio_without_sound", "no audio samples"),
        (b"\x1a\x45\xdf\xa3" + bytes(200), "audio_damaged", "Matroska"),
        (b"\0\0\0\x18ftypM4A \0\0\0\0M4A mp42", "audio_damaged", "MP4"),
        (b"RIFF\0\0\0\0WAVE", "audio_damaged", "WAV"),
        (np.random.default_rng(0).bytes(2_000), "audio_undecodable", "damaged, or no recording"),
    ],
)
def test_a_file_that_is_no_recording_is_told_by_what_it_is_and_never_by_a_number_of_an_error(data, sentence, told):
    with pytest.raises(AudioUndecodable) as caught:
        decode_clip(data)
    assert caught.value.values.get("sentence", caught.value.code) == sentence
    assert told in caught.value.reason
    for decoders in ("Errno", "nvalid", "not recognised", "Input/output"):
        assert decoders not in caught.value.fact


# --- types


@pytest.mark.parametrize(
    ("mime_type", "filename", "expected"),
    [
        ("audio/wav", "", "audio/wav"),
        ("Audio/WebM; codecs=opus", "", "audio/webm"),
        ("audio/webm;codecs=opus", "x.wav", "audio/webm"),
        ("audio/x-m4a", "", "audio/x-m4a"),
        ("audio/mp3", "", "audio/mp3"),
        ("video/mp4", "", "video/mp4"),
        ("application/octet-stream", "a.FLAC", "audio/flac"),
        ("application/octet-stream", "a.b.m4a", "audio/m4a"),
        ("application/octet-stream", "a.aif", "audio/aiff"),
        ("application/octet-stream", "a.exe", "audio/wav"),
        ("application/octet-stream", "noextension", "audio/wav"),
        ("", "", "audio/wav"),
    ],
)
def test_a_type_is_normalized_or_guessed(mime_type, filename, expected):
    assert check_mime(mime_type, filename) == expected


def test_a_recording_without_a_known_type_is_listed_under_what_its_bytes_are():
    flac = encode(sine(), 48_000, "flac")
    for told in ("binary/octet-stream", "", "text/plain", "application/octet-stream", "not a type"):
        assert stored_type(told, "a.exe", flac) == "audio/flac"
    assert stored_type("Audio/WebM; codecs=opus", "a.wav", flac) == "audio/webm"
    assert stored_type("", "a.mp2", bytes(40)) == "audio/mp2"
    for container, codec, mime_type in (
        ("mov", "pcm_s16le", "video/quicktime"),
        ("mp2", "mp2", "audio/mpeg"),
        ("adts", "aac", "audio/aac"),
    ):
        assert stored_type("", "", with_ffmpeg(container, codec, seconds=0.1)) == mime_type


def test_in_strict_mode_a_type_is_of_the_list_to_the_letter():
    types = VLLM_OMNI_DIALECT.file_types
    for mime_type in types:
        assert check_label(mime_type, "", types) == mime_type
    for mime_type in ("audio/x-m4a", "audio/webm;codecs=opus", "Audio/WAV", "binary/octet-stream", "video/mp4", "text/plain"):
        with pytest.raises(AudioTypeUnsupported) as caught:
            check_label(mime_type, "a.wav", types)
        assert caught.value.allowed == types
    named = {"a.flac": "audio/flac", "a.MP3": "audio/mpeg", "a.m4a": "audio/mp4", "a.exe": "audio/wav", "": "audio/wav"}
    assert {name: check_label("application/octet-stream", name, types) for name in named} == named


def test_choosers_of_files_name_what_phones_and_programs_write():
    wanted = ".wav .mov .qta .3gp .caf .wma .au .mkv .amr .aiff .m4b .m4a .webm .oga .opus .mka .mp2 .mpg .flac .mp3 .mp4 .aac"
    assert set(wanted.split()) <= set(FILE_ENDINGS)


@pytest.mark.parametrize("mime_type", ["text/plain", "image/png", "audio/midi", "audio", "application/json"])
def test_other_types_are_refused_with_the_sorted_list(mime_type):
    with pytest.raises(AudioTypeUnsupported) as caught:
        check_mime(mime_type, "a.wav")
    assert list(caught.value.allowed) == sorted(caught.value.allowed)
    assert {"audio/wav", "audio/webm", "audio/x-m4a", "video/webm"} <= set(caught.value.allowed)
