"""Fun-CosyVoice3: clones a voice in nine languages, with or without its words, and says recorded speech again in it. Importing this loads
no torch.
"""

from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.cosyvoice3.config import SIZES
from engines.cosyvoice3.options import LANGUAGE_MODELS, LANGUAGES, LIMITS, LOAD_OPTIONS, OPTIONS
from engines.cosyvoice3.text.marks import MARKUP
from engines.kit.decode.hub_package import hub_package
from engines.kit.weights.weights import HubWeights

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

PACKAGE = hub_package(_INFO, _WEIGHTS, SIZES, "engines.cosyvoice3.opening")
