"""Fish Audio S2 Pro: clones a voice from its recordings and their words, at 44.1 kHz. Words in brackets direct it. Importing this loads no
torch.
"""

from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.fish_speech.options import ANY, LANGUAGES, LOAD_OPTIONS, MARKUP, OPTIONS
from engines.kit.decode.hub_package import hub_package
from engines.kit.weights.weights import HubWeights

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
    best_at=("directed_speech",),
    licenses=(License("Fish Audio Research License", "https://huggingface.co/fishaudio/s2-pro/blob/main/LICENSE.md"),),
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
    reads=("numbers",),  # the official server hands them to the model as they are
    wants_gpu=True,
    hub_id=_WEIGHTS.hub_id(),
)

PACKAGE = hub_package(_INFO, _WEIGHTS, (_SIZE,), "engines.fish_speech.opening")
