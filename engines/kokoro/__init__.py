"""Kokoro-82M: natural speech on a CPU, in 54 built-in voices or in the voice of a recording. Importing this loads no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Value
from engines.kit.decode.hub_package import EngineParts, hub_package
from engines.kit.phonemes.ipa import PHONEME_MARKUP
from engines.kit.signal.clip_analysis import check_voice
from engines.kokoro.options import CODES, LOAD_OPTIONS, OPTIONS, mother_tongue
from engines.kokoro.voices.voice_table import VOICES, is_male
from engines.kokoro.weights.sources import N_BYTES, SHA256, KokoroWeights, open_weights

if TYPE_CHECKING:
    import torch

    from engines.kokoro.network.networks import KokoroNetworks

__all__ = ["PACKAGE"]

_WEIGHTS = KokoroWeights()
_SIZES = ("82M",)

_INFO = EngineInfo(
    id="kokoro",
    title="Kokoro",
    summary="Natural speech on any CPU: 54 built-in voices, or the voice of a recording, learned at once and then better and better.",
    best_at=("cpu_speech", "built_in_voices"),
    licenses=(License("Apache-2.0", "https://huggingface.co/hexgrad/Kokoro-82M"),),
    sample_rate=24_000,
    streams="chunk",
    draws=False,
    transcript="unused",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=CODES,
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=N_BYTES,
    presets=VOICES,
    default_preset="af_heart",
    preset_languages={voice: mother_tongue(voice) for voice in VOICES if mother_tongue(voice) in CODES},
    preset_sexes={voice: "male" if is_male(voice) else "female" for voice in VOICES},
    blends_presets=True,
    sound_check=check_voice,
    load_options=LOAD_OPTIONS,
    markup=PHONEME_MARKUP,
    phones="ipa",
    suits_cpu=True,
    refines=True,
    hub_id=_WEIGHTS.hub_id(),
)


def _where(device: str | None, dtype: str | None) -> "tuple[torch.device, torch.dtype]":
    from engines.kokoro.placement import choose_place

    return choose_place(device, dtype)


def _read(
    folder: Path | None, device: "torch.device", dtype: "torch.dtype", settings: Mapping[str, Value]
) -> "tuple[KokoroNetworks, str]":  # fmt: skip
    """The networks, and what their weights are known by: of the packages, which were compared already, the file's SHA-256."""
    from engines.kokoro.network.networks import KokoroNetworks

    config, checkpoint = open_weights(folder)
    with checkpoint:
        config.check_speaks()
        fingerprint = SHA256 if folder is None else checkpoint.digest(checkpoint.names)
        return KokoroNetworks.read(config, checkpoint, dtype), fingerprint


def _draw(size: str, device: "torch.device", dtype: "torch.dtype") -> "tuple[KokoroNetworks, str]":
    from engines.kokoro.random_networks import random_networks

    return random_networks(size, dtype), f"random:{size}"


def _engine(info: EngineInfo, networks: "tuple[KokoroNetworks, str]", settings: Mapping[str, Value]) -> Engine:
    from engines.kokoro.engine import KokoroEngine

    return KokoroEngine(info, *networks)


PACKAGE = hub_package(_INFO, _WEIGHTS, _SIZES, EngineParts(_read, _draw, _engine, _where))
