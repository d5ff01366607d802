"""OmniVoice: clones a voice from a recording and its words, or designs one. It speaks 646 languages at 24 kHz, a sentence at a time.
Importing this loads no torch.
"""

from engines.contract.clip_wishes import ClipWishes
from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.kit.decode.hub_package import hub_package
from engines.kit.weights.weights import HubWeights
from engines.omnivoice.config import SIZES
from engines.omnivoice.languages import LANGUAGES
from engines.omnivoice.options import DESIGN, LOAD_OPTIONS, OPTIONS
from engines.omnivoice.text.duration import FRAMES_PER_SECOND, LEAST_WEIGHT, MOST_WEIGHT
from engines.omnivoice.text.input_text import MARKUP, PHONE_LANGUAGES
from engines.text.spoken_length import SECONDS_PER_WEIGHT

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

# Words of so much weight per frame as seconds over seconds: 0.53 to 2.1. The engine counts the frames of short pauses as well, so that of
# halting speech a little less is enough.
_WORDS_OVER_SPEECH = (LEAST_WEIGHT * FRAMES_PER_SECOND * SECONDS_PER_WEIGHT, MOST_WEIGHT * FRAMES_PER_SECOND * SECONDS_PER_WEIGHT)
# Upstream's warning of long recordings (omnivoice/models/omnivoice.py, create_voice_clone_prompt @ 468e927), and its README.
_CLIP_WISHES = ClipWishes(words_over_speech=_WORDS_OVER_SPEECH, best_seconds=(3.0, 10.0), most_seconds=20.0)

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
    clip_wishes=_CLIP_WISHES,
    wants_gpu=True,
    hub_id=_WEIGHTS.hub_id(),
)

PACKAGE = hub_package(_INFO, _WEIGHTS, SIZES, "engines.omnivoice.opening")
