"""Remote engines on fake servers, and what tests say with them."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.remote import PACKAGE
from engines.remote.addresses import base_addresses
from engines.remote.engine import RemoteEngine
from engines.remote.fleet import Pauses
from tests.engines.clips.made_clip import made_clip
from tests.engines.remote.fake_server import FakeSpeechServer, spoken_samples

__all__ = ["TEXT", "asked_first", "clip_of", "expected", "n_uploads", "prompt_of", "remote_engine", "said", "until", "written"]

TEXT = "Hello there, and how are you today?"
PATIENCE_SECONDS = 20.0
_CLIPS: dict[int, Clip] = {}


def remote_engine(*servers: FakeSpeechServer | str, name: str = "remote_gpu", **options: object) -> RemoteEngine:
    """An engine as the studio opens one, that tries again after hundredths of a second."""
    checkpoint = " ".join(server if isinstance(server, str) else server.address for server in servers)
    settings = resolve_options(PACKAGE.info.load_options, options)
    info = PACKAGE.info_of(replace(PACKAGE.info, id=name), checkpoint, settings)
    return RemoteEngine(info, base_addresses(checkpoint), settings, Pauses(0.01, 0.04))


def clip_of(pitch_hz: int = 120) -> Clip:
    if pitch_hz not in _CLIPS:
        _CLIPS[pitch_hz] = made_clip(1.0, pitch_hz=pitch_hz, sample_rate=8_000)
    return _CLIPS[pitch_hz]


def prompt_of(engine: Engine, pitch_hz: int = 120, words: str = "and then the") -> SpeakerPrompt:
    return engine.extract(clip_of(pitch_hz), Transcript.of(words, "en"))


def said(engine: Engine, prompt: SpeakerPrompt, text: str = TEXT, **options: object) -> np.ndarray:
    """All samples."""
    return np.concatenate(list(engine.stream(text, prompt, resolve_options(engine.info.options, options))))


def expected(prompt: SpeakerPrompt, text: str = TEXT) -> np.ndarray:
    """What a fake server says in the prompt's voice."""
    return spoken_samples(text, prompt.tensors["recording"].tobytes()).astype(np.float32) / 32_768


def asked_first(engine: RemoteEngine, prompt: SpeakerPrompt, *servers: FakeSpeechServer) -> list[FakeSpeechServer]:
    """The servers in the order in which this speaker is asked for."""
    by_address: Mapping[str, FakeSpeechServer] = {server.address: server for server in servers}
    return [by_address[member.address] for member in engine._fleet.order(prompt.content_digest)]


def until(condition: Callable[[], bool]) -> None:
    """Wait for what no event tells of."""
    begun, tick = monotonic(), threading.Event()
    while not condition():
        assert monotonic() - begun < PATIENCE_SECONDS, "it never came to be"
        tick.wait(0.003)


def written(folder: Path) -> dict[str, dict[str, str]]:
    """Name -> states by address, of one moment; what goes while it is read is read anew."""
    try:
        return {path.stem: json.loads(path.read_text())["servers"] for path in folder.glob("*.json")}
    except FileNotFoundError:
        return written(folder)


def n_uploads(server: FakeSpeechServer) -> int:
    return server.n_asked("POST", "/v1/audio/voices")
