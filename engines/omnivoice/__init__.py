"""OmniVoice: clones a voice from a recording and its words, or designs one. It speaks 646 languages at 24 kHz, a sentence at a time.
Importing this loads no torch.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Value, bool_option, int_option, text_option
from engines.kit.decode.hub_package import EngineParts, hub_package
from engines.kit.weights.weights import HubWeights
from engines.omnivoice.clip_wishes import CLIP_WISHES
from engines.omnivoice.languages import LANGUAGES
from engines.omnivoice.options import DESIGN, LOAD_OPTIONS, OPTIONS
from engines.omnivoice.released_config import SIZES
from engines.omnivoice.text.input_text import MARKUP, PHONE_LANGUAGES

if TYPE_CHECKING:
    import torch

    from engines.omnivoice.networks import OmniVoiceNetworks

__all__ = ["PACKAGE"]

_DEFAULT = "k2-fsa/OmniVoice"
_CODEC = "audio_tokenizer"
# Of the files below, as published: both safetensors, tokenizer.json, two configurations and the codec's license.
_RELEASED_BYTES = {_DEFAULT: 2_450_344_112 + 805_665_628 + 11_423_986 + 2_238 + 2_531 + 9_171}

# The model's card names no version of CC-BY-NC. The codec's agreement (section 2) counts users; what it wants said wherever it is used
# (section 1.b.i) and kept beside it (1.b.iii) is quoted as two public repositories that carry the file agree on it: kizuna-ai-lab's
# synthesize.cpp (reports/porting/omnivoice) and Heckler (third-party notices); "All Right Reserved" is the agreement's own.
_LICENSES = (
    License("CC-BY-NC", f"https://huggingface.co/{_DEFAULT}#license", covers="model"),
    License(
        "Boson Higgs Audio 2 Community License",
        f"https://huggingface.co/{_DEFAULT}/blob/main/{_CODEC}/LICENSE",
        covers="codec",
        most_annual_users=100_000,
    ),
)
_ATTRIBUTION = (
    "Built with Higgs Materials licensed from Boson AI USA, Inc., Copyright Boson AI USA, Inc., All Rights Reserved and Meta Llama 3"
    " licensed under the Meta Llama 3 Community License, Copyright Meta Platforms, Inc., All Right Reserved"
)
_NOTICE = """\
Meta Llama 3 is licensed under the Meta Llama 3 Community License, Copyright © Meta Platforms, Inc. All Rights Reserved.
Boson Higgs Audio 2 is licensed under the Boson Community License, Copyright © Boson AI USA, Inc. All Rights Reserved.

The model (model.safetensors) is licensed under CC-BY-NC: it is not for commercial use.
The codec (audio_tokenizer) is licensed under the Boson Higgs Audio 2 Community License: who had more than 100,000 annual active users
in the preceding calendar year needs an expanded license from Boson AI; its use has to follow the Meta Llama 3 Acceptable Use Policy
(https://llama.meta.com/llama3/use-policy); and whoever hands it on hands on its text and this notice."""

_WEIGHTS = HubWeights(
    repository=_DEFAULT,
    patterns=(
        *("config.json", "tokenizer.json", "*.safetensors", "model.safetensors.index.json", "LICENSE*"),
        *(f"{_CODEC}/config.json", f"{_CODEC}/model.safetensors", f"{_CODEC}/LICENSE*"),
    ),
    needed=(
        *("config.json", "tokenizer.json", "model.safetensors.index.json|model.safetensors"),
        *(f"{_CODEC}/config.json", f"{_CODEC}/model.safetensors"),
    ),
    released_bytes=_RELEASED_BYTES,
    notice=_NOTICE,
)

_INFO = EngineInfo(
    id="omnivoice",
    title="OmniVoice",
    summary="Hundreds of languages at 24 kHz, sentence by sentence, from a recording and its words or from a description. Wants a GPU.",
    best_at=("languages", "described_voices"),
    licenses=_LICENSES,
    attribution=_ATTRIBUTION,
    restriction="commercial use",
    sample_rate=24_000,
    streams="sentence",
    transcript="required",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=LANGUAGES,
    options=OPTIONS,
    weights_command=_WEIGHTS.command(),
    weights_bytes=_RELEASED_BYTES[_DEFAULT],
    presets=(DESIGN,),
    designed_preset=DESIGN,
    load_options=LOAD_OPTIONS,
    markup=MARKUP,
    phones="ipa",
    phone_languages=PHONE_LANGUAGES,
    clip_wishes=CLIP_WISHES,
    wants_gpu=True,
    hub_id=_WEIGHTS.hub_id(),
)


def _read(folder: Path, device: "torch.device", dtype: "torch.dtype", settings: Mapping[str, Value]) -> "OmniVoiceNetworks":
    """dtype: of all but the codec."""
    from engines.omnivoice.networks import read_networks

    return read_networks(folder, device, dtype, text_option(settings, "lora"))


def _draw(size: str, device: "torch.device", dtype: "torch.dtype") -> "OmniVoiceNetworks":
    from engines.omnivoice.random_networks import random_networks

    return random_networks(size, device, dtype)


def _engine(info: EngineInfo, networks: "OmniVoiceNetworks", settings: Mapping[str, Value]) -> Engine:
    from engines.omnivoice.engine import OmniVoiceEngine

    return OmniVoiceEngine(
        info,
        networks,
        fused=bool_option(settings, "fused"),
        loop_graphs=bool_option(settings, "loop_graphs"),
        width=int_option(settings, "width"),
    )


PACKAGE = hub_package(_INFO, _WEIGHTS, SIZES, EngineParts(_read, _draw, _engine))
