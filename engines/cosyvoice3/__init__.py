"""Fun-CosyVoice3: clones a voice in nine languages, with or without its words, and says recorded speech again in it. Importing this loads
no torch.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Value, bool_option, int_option, text_option
from engines.cosyvoice3.languages import LANGUAGES, LIMITS
from engines.cosyvoice3.options import LANGUAGE_MODELS, LOAD_OPTIONS, OPTIONS
from engines.cosyvoice3.released_config import SIZES
from engines.cosyvoice3.text.marks import MARKUP
from engines.kit.decode.hub_package import EngineParts, hub_package
from engines.kit.weights.weights import HubWeights

if TYPE_CHECKING:
    import torch

    from engines.cosyvoice3.networks import CosyVoice3Networks

__all__ = ["PACKAGE"]

_DEFAULT = "FunAudioLLM/Fun-CosyVoice3-0.5B-2512"
_RELEASED_BYTES = {_DEFAULT: 4_438_931_037}  # of the files below, as published
_TEXT = ("config.json", "merges.txt", "tokenizer_config.json", "vocab.json")
_NEEDED = (
    "cosyvoice3.yaml",
    "flow.pt",
    "hift.pt",
    "campplus.onnx",
    "speech_tokenizer_v3.onnx",
    *(f"CosyVoice-BlankEN/{name}" for name in _TEXT),
)

_WEIGHTS = HubWeights(
    repository=_DEFAULT,
    patterns=(*_NEEDED, LANGUAGE_MODELS[0]),
    needed=(*_NEEDED, "|".join(LANGUAGE_MODELS)),
    released_bytes=_RELEASED_BYTES,
    left_out=("llm.rl.pt", "*.batch.onnx", "flow.decoder.*.onnx", "CosyVoice-BlankEN/model.safetensors"),
)

_INFO = EngineInfo(
    id="cosyvoice3",
    title="Fun-CosyVoice3",
    summary="Clones from a short recording, with or without its words, and says recorded speech again. Wants a GPU.",
    best_at=("conversion", "cloning"),
    licenses=(License("Apache-2.0", "https://huggingface.co/FunAudioLLM/Fun-CosyVoice3-0.5B-2512"),),
    sample_rate=24_000,
    streams="chunk",
    transcript="optional",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=LANGUAGES,
    language_limits=LIMITS,
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=_RELEASED_BYTES[_DEFAULT],
    load_options=LOAD_OPTIONS,
    markup=MARKUP,
    wants_gpu=True,
    converts=True,
    hub_id=_WEIGHTS.hub_id(),
)


def _read(folder: Path, device: "torch.device", dtype: "torch.dtype", settings: Mapping[str, Value]) -> "CosyVoice3Networks":
    """dtype: of the language model, and of what the flow remembers."""
    from engines.cosyvoice3.networks import read_networks

    return read_networks(folder, device, dtype, text_option(settings, "language_model"), text_option(settings, "lora"))


def _draw(size: str, device: "torch.device", dtype: "torch.dtype") -> "CosyVoice3Networks":
    from engines.cosyvoice3.random_networks import random_networks

    return random_networks(size, device, dtype)


def _engine(info: EngineInfo, networks: "CosyVoice3Networks", settings: Mapping[str, Value]) -> Engine:
    from engines.cosyvoice3.engine import CosyVoice3Engine

    return CosyVoice3Engine(
        info,
        networks,
        pin_prompt=int_option(settings, "pin_prompt"),
        fused=bool_option(settings, "fused"),
        width=int_option(settings, "width"),
        flow_rows=int_option(settings, "flow_rows"),
    )


PACKAGE = hub_package(_INFO, _WEIGHTS, SIZES, EngineParts(_read, _draw, _engine))
