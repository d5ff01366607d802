"""Subjects of the contract suite: every engine of the catalog, opened at toy size, with two clips that it accepts.

A new engine adds one function here (random weights in the official layout are fine); the suite then holds it to the contract.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from engines.catalog import open_engine
from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from engines.contract.options import resolve_options
from engines.contract_suite import Subject
from tests.engines.clips.made_clip import made_clip
from tests.engines.cosyvoice3.random_checkpoint import write_checkpoint as write_cosyvoice3
from tests.engines.cosyvoice3.tiny_checkpoint import shallow_vocoder
from tests.engines.cosyvoice3.tiny_checkpoint import tiny as tiny_cosyvoice3
from tests.engines.dots.random_checkpoint import write_checkpoint as write_dots
from tests.engines.dots.tiny_checkpoint import tiny as tiny_dots
from tests.engines.fish_speech.tiny_checkpoint import write_shallow_checkpoint as write_tiny_fish_speech
from tests.engines.kokoro.opened import few_steps
from tests.engines.kokoro.random_checkpoint import write_speaking_checkpoint as write_tiny_kokoro
from tests.engines.omnivoice.tiny_checkpoint import write_tiny_checkpoint as write_tiny_omnivoice
from tests.engines.pocket_tts.opened import tiny_folder as tiny_pocket_tts
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import FEW_CODEBOOKS
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import write_tiny_checkpoint as write_tiny_qwen3_tts
from tests.engines.remote.fake_server import FakeSpeechServer
from tests.engines.remote.opened import remote_engine
from tests.engines.toys.shallow import shallow_checkpoint
from tests.engines.voxcpm2.random_checkpoint import write_checkpoint as write_voxcpm2
from tests.engines.voxcpm2.tiny_checkpoint import tiny as tiny_voxcpm2
from tests.engines.voxtral.random_checkpoint import write_checkpoint as write_voxtral
from tests.engines.voxtral.tiny_checkpoint import tiny as tiny_voxtral
from tests.stand_ins.fake_engine import BLENDER, REFINER, FakeEngine

__all__ = ["KINDS", "SUBJECTS", "Subject"]


def _fake(info: EngineInfo = BLENDER) -> Subject:
    noise = np.random.default_rng(0).standard_normal((2, 48_000)).astype(np.float32) * 0.1
    return Subject(
        FakeEngine(info), (Clip(noise[0], 24_000), Clip(noise[1], 24_000)), Transcript("Noise."), "One sentence. And then another one."
    )


def _espeak() -> Subject:
    engine = open_engine("espeak")
    words = "The engineer measured the width of the bridge very carefully. Nothing would make him change his mind about the voyage."
    clips = [
        np.concatenate(list(engine.stream(words, engine.preset(name), resolve_options(engine.info.options, {})))) for name in ("rms", "slt")
    ]
    rate = engine.info.sample_rate
    chunkings = ({"block_seconds": 0.05}, {"first_block_seconds": 0.05, "block_seconds": 0.31}, {"first_block_seconds": 2.0})
    text = "A short sentence first. Then a second one."
    return Subject(engine, (Clip(clips[0], rate), Clip(clips[1], rate)), Transcript(words, "en"), text, chunkings)


def _kokoro() -> Subject:
    """Random weights at toy size, which learn from clips of real sounds in few steps; windows stand at fixed places, so no option cuts."""
    with TemporaryDirectory() as folder:
        engine = open_engine("kokoro", checkpoint=str(write_tiny_kokoro(Path(folder))), device="cpu", dtype="float32")
    espeak = open_engine("espeak")
    words, options = "The engineer measured the width of the bridge.", resolve_options(espeak.info.options, {})
    clips = [np.concatenate(list(espeak.stream(words, espeak.preset(name), options))) for name in ("rms", "slt")]
    while_open = ExitStack()
    while_open.enter_context(few_steps((2, 4)))
    while_open.callback(engine.close)
    engine.close = while_open.close
    return Subject(engine, (Clip(clips[0], 24_000), Clip(clips[1], 24_000)), Transcript(words, "en"), "One sentence. And another.")


def _qwen3_tts() -> Subject:
    """Random weights at toy size, with speakers of their own, with which speech ends where the text does: a letter per frame of 80 ms."""
    with TemporaryDirectory() as folder:
        speakers = {"ryan": 3061, "eric": 2875}
        place = write_tiny_qwen3_tts(Path(folder), ends_with_text=True, n_codebooks=FEW_CODEBOOKS, speakers=speakers)
        engine = open_engine("qwen3_tts", checkpoint=str(place), device="cpu")
    clips = made_clip(2.0, pitch_hz=110), made_clip(2.0, pitch_hz=210, seed=1)
    chunkings = ({"codec_chunk_frames": 1}, {"codec_chunk_frames": 3}, {"initial_codec_chunk_frames": 25, "codec_chunk_frames": 25})
    return Subject(engine, clips, Transcript("and then the", "en"), "Oh. And then.", chunkings)


def _voxcpm2() -> Subject:
    """Random weights at toy size, with which speech ends after a second and a half, whatever is said."""
    with TemporaryDirectory() as folder:
        engine = open_engine(
            "voxcpm2", checkpoint=str(write_voxcpm2(Path(folder), shallow_checkpoint(tiny_voxcpm2(ends_after=9)))), device="cpu"
        )
    clips = made_clip(1.5, pitch_hz=110), made_clip(1.5, pitch_hz=210, seed=1)
    chunkings = ({"chunk_patches": 1}, {"first_chunk_patches": 2, "chunk_patches": 3}, {"first_chunk_patches": 16})
    return Subject(engine, clips, Transcript("and then the", "en"), "Oh. And then the voice.", chunkings)


def _dots(kind: str = "mf") -> Subject:
    """Random weights at toy size, with which speech ends after four fifths of a second, or where the text does, which it reads along."""
    with TemporaryDirectory() as folder:
        engine = open_engine(
            "dots", checkpoint=str(write_dots(Path(folder), shallow_checkpoint(tiny_dots(kind=kind, ends_after=5)))), device="cpu"
        )
    clips = made_clip(1.5, pitch_hz=110), made_clip(1.5, pitch_hz=210, seed=1)
    chunkings = ({"chunk_patches": 1}, {"first_chunk_patches": 2, "chunk_patches": 3}, {"first_chunk_patches": 16})
    return Subject(engine, clips, Transcript("and then the", "en"), "Oh. And then the voice.", chunkings)


def _fish_speech() -> Subject:
    """Random weights at toy size, with which speech ends after 0.7 s, whatever is said."""
    with TemporaryDirectory() as folder:
        engine = open_engine("fish_speech", checkpoint=str(write_tiny_fish_speech(Path(folder), ends_after=15)), device="cpu")
    clips = made_clip(1.5, pitch_hz=110), made_clip(1.5, pitch_hz=210, seed=1)
    chunkings = ({"codec_chunk_frames": 1}, {"initial_codec_chunk_frames": 1, "codec_chunk_frames": 3}, {"initial_codec_chunk_frames": 25})
    return Subject(engine, clips, Transcript("and then the", "en"), "Oh. And then the voice.", chunkings)


def _voxtral() -> Subject:
    """Random weights at toy size, with an encoder, with which speech ends after 1.4 s, whatever is said."""
    with TemporaryDirectory() as folder:
        weights = write_voxtral(
            Path(folder), shallow_checkpoint(tiny_voxtral(ends_after=18, encoder=True, presets={"neutral_female": 4, "de_male": 5}))
        )
        engine = open_engine("voxtral", checkpoint=str(weights), device="cpu")
    clips = made_clip(1.5, pitch_hz=110), made_clip(1.5, pitch_hz=210, seed=1)
    chunkings = ({"codec_chunk_frames": 1}, {"initial_codec_chunk_frames": 3, "codec_chunk_frames": 5}, {"initial_codec_chunk_frames": 25})
    return Subject(engine, clips, Transcript("and then the", "en"), "Oh. And then the voice.", chunkings)


def _omnivoice() -> Subject:
    """Random weights at toy size, with which speech is as long as its text wants it, and says nothing."""
    with TemporaryDirectory() as folder:
        engine = open_engine("omnivoice", checkpoint=str(write_tiny_omnivoice(Path(folder))), device="cpu")
    clips = made_clip(1.5, pitch_hz=110), made_clip(1.5, pitch_hz=210, seed=1)
    return Subject(engine, clips, Transcript("and then the voice of", "en"), "Oh. And then the voice.")


def _cosyvoice3() -> Subject:
    """Random weights at toy size, with which speech ends after a second and a half, whatever is said."""
    with TemporaryDirectory() as folder:
        toy = shallow_vocoder(shallow_checkpoint(tiny_cosyvoice3(ends_after=38)))
        engine = open_engine("cosyvoice3", checkpoint=str(write_cosyvoice3(Path(folder), toy)), device="cpu")
    clips = made_clip(1.5, pitch_hz=110), made_clip(1.5, pitch_hz=210, seed=1)
    return Subject(engine, clips, Transcript("and then the", "en"), "Oh. And then the voice.")


def _pocket_tts() -> Subject:
    """Random weights at toy size, with which every piece of a text is over after a second, whatever is said."""
    engine = open_engine("pocket_tts", checkpoint=str(tiny_pocket_tts()))
    clips = made_clip(1.5, pitch_hz=110), made_clip(1.5, pitch_hz=210, seed=1)
    chunkings = ({"chunk_frames": 1}, {"first_chunk_frames": 2, "chunk_frames": 3}, {"first_chunk_frames": 16})
    return Subject(engine, clips, Transcript("and then the", "en"), "Oh. And then the voice.", chunkings)


def _remote() -> Subject:
    """A server on a thread that says everything in tones; what it says, however loaded, is the same."""
    server = FakeSpeechServer()
    engine = remote_engine(server)
    close = engine.close
    engine.close = lambda: (close(), server.close())
    clips = made_clip(1.5, pitch_hz=110), made_clip(1.5, pitch_hz=210, seed=1)
    return Subject(engine, clips, Transcript("and then the", "en"), "Oh. And then the voice.")


KINDS = {"qwen3_tts_custom": "qwen3_tts", "qwen3_tts_design": "qwen3_tts"}  # an id of the catalog -> whose engine opens it, too

SUBJECTS: dict[str, Callable[[], Subject]] = {
    "fake": _fake,
    "refiner": partial(_fake, REFINER),
    "espeak": _espeak,
    "kokoro": _kokoro,
    "pocket_tts": _pocket_tts,
    "qwen3_tts": _qwen3_tts,
    "voxcpm2": _voxcpm2,
    "dots": _dots,
    "dots_along": partial(_dots, "stts"),
    "fish_speech": _fish_speech,
    "voxtral": _voxtral,
    "omnivoice": _omnivoice,
    "cosyvoice3": _cosyvoice3,
    "remote": _remote,
}
