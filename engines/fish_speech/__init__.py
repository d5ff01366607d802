"""Fish Audio S2 Pro: clones a voice from its recordings and their words, at 44.1 kHz, directed by words in brackets. Importing this loads
no torch.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from engines.contract import Engine, EngineInfo
from engines.fish_speech.options import ANY, LANGUAGES, LOAD_OPTIONS, MARKUP, OPTIONS
from engines.layers.weights import HubWeights
from engines.options import Value, resolve_options
from engines.package import EnginePackage, Progress

__all__ = ["PACKAGE"]

_DEFAULT, _SIZE = "fishaudio/s2-pro", "S2-Pro"
_RELEASED_BYTES = {_DEFAULT: 11_007_111_597}  # of the files below, as published: two shards, codec.pth, and 12 MB of tokenizer and texts

_WEIGHTS = HubWeights(
    repository=_DEFAULT,
    patterns=("config.json", "tokenizer.json", "*.safetensors", "model.safetensors.index.json", "codec.pth", "LICENSE*"),
    needed=("config.json", "tokenizer.json", "model.safetensors.index.json|model.safetensors", "codec.pth"),
    released_bytes=_RELEASED_BYTES,
    notice="This model is licensed under the Fish Audio Research License, Copyright © 39 AI, INC. All Rights Reserved.",
)

_INFO = EngineInfo(
    id="fish_speech",
    title="Fish Audio S2 Pro",
    summary="Lively speech at 44.1 kHz, from up to four recordings and their words, directed by words in brackets. Wants a GPU.",
    licence="Fish Audio Research License",
    licence_url="https://huggingface.co/fishaudio/s2-pro/blob/main/LICENSE.md",
    attribution="Built with Fish Audio",
    restriction="commercial use",
    sample_rate=44_100,
    streams="frame",
    transcript="required",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=LANGUAGES,
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=_RELEASED_BYTES[_DEFAULT],
    presets=(ANY,),
    least_clip_seconds=1.0,
    most_recordings=4,
    load_options=LOAD_OPTIONS,
    markup=MARKUP,
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

    device: a GPU where there is one, else the CPU. dtype: of all but the codec, "bfloat16" (default on a GPU) or "float32" (on a CPU).
    options: of LOAD_OPTIONS. Raises OptionInvalid, EngineUnavailable, CheckpointInvalid.
    """
    settings = resolve_options(LOAD_OPTIONS, options)
    folder = _WEIGHTS.resolve(checkpoint, progress)

    from engines.fish_speech.networks import read_networks

    info = replace(_INFO, weights_bytes=_WEIGHTS.n_bytes(str(folder)), hub_id=_WEIGHTS.hub_id(checkpoint))
    return _engine(info, partial(read_networks, folder), (device, dtype), settings)


def _open_random(size: str, device: str | None = None, dtype: str | None = None, **options: Value) -> Engine:
    """The engine of that size with weights that are drawn. Raises OptionInvalid, EngineUnavailable."""
    from engines.fish_speech.random_networks import random_networks

    return _engine(_INFO, partial(random_networks, size), (device, dtype), resolve_options(LOAD_OPTIONS, options))


def _engine(info: EngineInfo, load: Callable, where: tuple[str | None, str | None], settings: Mapping[str, Value]) -> Engine:
    """load: from torch's device and dtype to FishNetworks. where: names of both, as they were asked for."""
    from engines.fish_speech.engine import FishSpeechEngine
    from engines.layers.device import choose_device, choose_dtype

    device = choose_device(where[0])
    networks = load(device, choose_dtype(where[1], device))
    return FishSpeechEngine(info, networks, **{name: settings[name] for name in ("codes_in_marks", "fused", "width")})


PACKAGE = EnginePackage(_INFO, _open, _WEIGHTS, (_SIZE,), _open_random)
