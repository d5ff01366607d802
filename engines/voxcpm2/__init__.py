"""VoxCPM2: clones a voice from a clip or designs one from words, at 48 kHz, a patch of 160 ms at a time. Importing this loads no torch."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from engines.contract import Engine, EngineInfo
from engines.layers.weights import HubWeights
from engines.options import Value, resolve_options
from engines.package import EnginePackage, Progress
from engines.voxcpm2.options import DESIGN, LANGUAGES, LOAD_OPTIONS, OPTIONS

__all__ = ["PACKAGE"]

_DEFAULT, _SIZE = "openbmb/VoxCPM2", "2B"
_RELEASED_BYTES = {_DEFAULT: 4_960_712_822}  # of the files below, as published: models in bfloat16, AudioVAE in float32 (376,951,122)

_WEIGHTS = HubWeights(
    repository=_DEFAULT,
    patterns=("config.json", "tokenizer.json", "model.safetensors", "audiovae.*"),
    needed=("config.json", "tokenizer.json", "model.safetensors", "audiovae.safetensors|audiovae.pth"),
    released_bytes=_RELEASED_BYTES,
)

_INFO = EngineInfo(
    id="voxcpm2",
    title="VoxCPM2",
    summary="Natural speech at 48 kHz in thirty languages, from a clip without its words, or in a voice that you describe. Wants a GPU.",
    licence="Apache-2.0",
    sample_rate=48_000,
    streams="patch",
    transcript="optional",
    transcript_shapes_prompt=True,
    extractor_revision="1",
    languages=LANGUAGES,
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=_RELEASED_BYTES[_DEFAULT],
    presets=(DESIGN,),
    designed_preset=DESIGN,
    least_clip_seconds=1.0,
    most_clip_seconds=30.0,
    most_text_characters=2_000,
    load_options=LOAD_OPTIONS,
    wants_gpu=True,
    hub_id=_WEIGHTS.hub_id(),
)


def _open(
    checkpoint: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    progress: Progress | None = None,
    **options: Value,
) -> Engine:
    """The engine with the weights of a local folder or a hub id; the default is the release in the hub's local cache.

    device: a GPU where there is one, else the CPU. dtype: of all but the AudioVAE, "bfloat16" (default on a GPU) or "float32" (on a CPU).
    options: of LOAD_OPTIONS. Raises OptionInvalid, EngineUnavailable, CheckpointInvalid.
    """
    settings = resolve_options(LOAD_OPTIONS, options)
    folder = _WEIGHTS.resolve(checkpoint, progress)

    from engines.voxcpm2.networks import read_networks

    info = replace(_INFO, weights_bytes=_WEIGHTS.n_bytes(str(folder)), hub_id=_WEIGHTS.hub_id(checkpoint))
    return _engine(info, partial(read_networks, folder, lora=settings["lora"]), (device, dtype), settings)


def _open_random(size: str, device: str | None = None, dtype: str | None = None, **options: Value) -> Engine:
    """The engine of that size with weights that are drawn, without adapters. Raises OptionInvalid, EngineUnavailable."""
    from engines.voxcpm2.random_networks import random_networks

    return _engine(_INFO, partial(random_networks, size), (device, dtype), resolve_options(LOAD_OPTIONS, options))


def _engine(info: EngineInfo, load: Callable, where: tuple[str | None, str | None], settings: Mapping[str, Value]) -> Engine:
    """load: from torch's device and dtype to VoxCpm2Networks. where: names of both, as they were asked for."""
    from engines.layers.device import choose_device, choose_dtype
    from engines.voxcpm2.engine import VoxCpm2Engine

    device = choose_device(where[0])
    networks = load(device, choose_dtype(where[1], device))
    return VoxCpm2Engine(info, networks, fused=settings["fused"], width=settings["width"])


PACKAGE = EnginePackage(_INFO, _open, _WEIGHTS, (_SIZE,), _open_random)
