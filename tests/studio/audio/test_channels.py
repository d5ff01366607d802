"""Channels: the voice is taken wherever in a file it is, and two people never become one."""

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile
import soxr

from engines.clips.clip import Clip, ClipSound
from studio.audio import decode
from studio.audio.channels import choose_channels
from studio.audio.decode import DecodedSound, decode_beginning, decode_clip, decode_sound
from studio.errors import ChannelsDiffer, ClipTooLong
from tests.house.source_files import ROOT
from tests.ui.clips.clips import speech_like

RATE = 16_000
SECONDS = 5.0
N = round(SECONDS * RATE)


@cache
def one() -> np.ndarray:
    """(N,) of a speaker."""
    samples, rate = soundfile.read(Path(ROOT / "assets/voices/demo.flac"), dtype="float32")
    return np.resize(soxr.resample(samples, rate, RATE), N)


@cache
def another() -> np.ndarray:
    return speech_like(SECONDS, RATE, 0.5)


@cache
def noise(level: float = 0.1) -> np.ndarray:
    return (level * np.random.default_rng(7).standard_normal(N)).astype(np.float32)


def late(samples: np.ndarray, seconds: float) -> np.ndarray:
    return np.concatenate([np.zeros(round(seconds * RATE), np.float32), samples])[:N]


def filtered(samples: np.ndarray, seed: int) -> np.ndarray:
    """As in a room with much echo, from another place for each seed."""
    echo = np.random.default_rng(seed).standard_normal(RATE // 4) * np.exp(-np.arange(RATE // 4) / 800) * 0.15
    return (samples + np.fft.irfft(np.fft.rfft(samples) * np.fft.rfft(echo, N), N)).astype(np.float32)


def chosen(*channels: np.ndarray) -> tuple[tuple[int, ...], str]:
    source = choose_channels(lambda number: channels[number], len(channels), RATE)
    return source.channels, source.why


@pytest.mark.slow
def test_one_speaker_is_taken_wherever_the_voice_is():
    voice, silence = one(), np.zeros(N, np.float32)
    music = 0.05 * np.sin(np.cumsum(2 * np.pi * (220 + 40 * np.sin(np.arange(N) / 9000)) / RATE)).astype(np.float32)
    for name, channels, expected in [
        ("dual mono", [voice, voice], ((0, 1), "alike")),
        ("with a little noise each", [voice + noise(1e-3), voice - noise(1e-3)], ((0, 1), "alike")),
        ("right alone", [silence, voice], ((1,), "sound")),
        ("left, and the hiss of an input", [voice, noise(1e-3)], ((0,), "speech")),
        ("left, and a loud noise", [voice, noise()], ((0,), "speech")),
        ("left, and hum", [voice, 0.05 * np.sin(np.arange(N) / 50).astype(np.float32)], ((0,), "speech")),
        ("inverted", [voice, -voice], ((0,), "clearest")),
        ("a noisy copy first", [voice + noise(0.03), voice], ((1,), "clearest")),
        ("clear but far away", [0.01 * voice, voice + noise(0.003)], ((1,), "clearest")),
        ("crosstalk", [0.01 * voice, voice], ((1,), "clearest")),
        ("DC in the first", [voice + np.float32(0.3), voice], ((1,), "clearest")),
        ("mid and side", [voice, 0.2 * filtered(voice, 3) - 0.2 * voice], ((0,), "clearest")),
        ("5.1", [music, music[::-1].copy(), voice, 0.1 * music, 0.2 * music, noise(1e-3)], ((2,), "speech")),
        ("5.1, quietly everywhere", [0.1 * voice, 0.1 * voice, voice, silence, 0.05 * voice, 0.05 * voice], ((2,), "clearest")),
    ]:
        assert chosen(*channels) == expected, name


@pytest.mark.slow
def test_a_copy_of_the_same_speech_is_nobody_else():
    voice = one()
    for seconds in (0.001, 0.02, 0.05, 0.12, 0.4, 0.9):
        assert chosen(voice, late(voice, seconds))[1] == "clearest", seconds
    assert chosen(filtered(voice, 1), late(filtered(voice, 2), 0.003))[1] == "clearest"


@pytest.mark.parametrize("heard_at_the_other", [0.0, 0.1, 0.25])
def test_two_people_with_a_microphone_each_are_never_mixed(heard_at_the_other):
    turn = (np.arange(N) // RATE) % 2 == 0
    left, right = one() * turn, another() * ~turn
    hum = 0.1 * np.sin(2 * np.pi * 50 * np.arange(N) / RATE).astype(np.float32)
    pairs = [(left + heard_at_the_other * right, 0.3 * (right + heard_at_the_other * left))]
    pairs += [(one(), another()), (left + hum, right + hum)] if not heard_at_the_other else []
    for pair in pairs:
        channels, why = chosen(*pair)
        assert why == "other_speech" and len(channels) == 1


def test_where_nobody_speaks_nothing_is_lost():
    tone = 0.3 * np.sin(np.arange(N) / 9).astype(np.float32)
    assert chosen(tone, -tone) == ((0,), "no_speech")
    assert chosen(tone, np.zeros(N, np.float32)) == ((0,), "sound")
    assert chosen(np.zeros(N, np.float32), np.zeros(N, np.float32)) == ((0, 1), "no_speech")


# --- files


def wav_of(*channels: np.ndarray) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.stack(channels, axis=1), RATE, format="WAV", subtype="FLOAT")
    return file.getvalue()


def level(clip: Clip) -> float:
    return float(np.sqrt(np.square(clip.samples, dtype=np.float64).mean()))


def test_the_taken_channel_has_its_own_level_and_its_own_samples():
    for channels in ([np.zeros(N, np.float32), one()], [one(), one()], [one() * 0, one() * 0, one(), one() * 0, one() * 0, one() * 0]):
        assert np.array_equal(decode_clip(wav_of(*channels)).samples, one())
    assert level(decode_clip(wav_of(one(), -one()))) == pytest.approx(level(Clip(one(), RATE)))


def test_different_people_are_refused_where_nobody_can_be_asked_and_told_where_somebody_can():
    file = wav_of(one(), 0.5 * another())
    with pytest.raises(ChannelsDiffer):
        decode_clip(file)
    sound = decode_beginning(file, most_bytes=len(file), most_seconds=60.0)
    assert sound.source.why == "other_speech" and sound.source.channel in ("left", "right")


def tracks_of(container: str, codec: str, tracks: Sequence[np.ndarray]) -> bytes:
    """Mono tracks (T,) of one file; one without samples is left empty."""
    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        streams = [output.add_stream(codec, rate=RATE, layout="mono") for _ in tracks]
        for stream, samples in zip(streams, tracks, strict=True):
            if not len(samples):
                continue
            frame = av.AudioFrame.from_ndarray(samples[None], format="fltp", layout="mono")
            frame.sample_rate = RATE
            for converted in av.AudioResampler(format=stream.format.name, layout="mono", rate=RATE).resample(frame):
                output.mux(stream.encode(converted))
            output.mux(stream.encode(None))
    return file.getvalue()


@pytest.mark.slow
def test_of_several_tracks_the_first_with_speech_is_taken():
    silence, nothing = np.zeros(N, np.float32), np.zeros(0, np.float32)
    for container, codec in (("mov", "pcm_s16le"), ("matroska", "pcm_s16le"), ("mp4", "aac")):
        for tracks, taken in (([silence, one()], 2), ([one(), another()], 1), ([noise(), silence, one()], 3), ([silence, noise()], 2)):
            sound = decode_sound(tracks_of(container, codec, tracks))
            assert (sound.source.track, sound.source.n_tracks) == (taken, len(tracks)), (container, taken)
            assert level(sound.clip) > 0.01
    sound: DecodedSound = decode_sound(tracks_of("matroska", "pcm_s16le", [nothing, one()]))
    assert (sound.source.track, sound.source.n_tracks) == (2, 2)


# --- no more than is taken


@pytest.mark.slow
def test_no_more_is_decoded_than_is_taken(monkeypatch):
    decoded = []
    add = decode._Mono.add
    monkeypatch.setattr(decode._Mono, "add", lambda mono, block: (decoded.append(len(block)), add(mono, block)))
    data = tracks_of("webm", "libopus", [np.tile(one(), 20)])
    with pytest.raises(ClipTooLong, match=r"1 min 40 s, and 30 s are the limit"):
        decode_sound(data, most_seconds=30.0)
    assert sum(decoded) / 48_000 < 32


def test_long_recordings_are_judged_by_stretches(monkeypatch):
    heard = []
    of = ClipSound.of.__func__
    monkeypatch.setattr(ClipSound, "of", classmethod(lambda cls, clip: (heard.append(clip.seconds), of(cls, clip))[1]))
    long = np.tile(one(), 60)
    assert chosen(long, np.zeros_like(long)) == ((0,), "sound")
    assert max(heard) <= 120
