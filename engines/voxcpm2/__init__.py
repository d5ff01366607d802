"""VoxCPM2: clones a voice from a clip or designs one from words, at 48 kHz, in patches of 160 ms. Importing this loads no torch."""

from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.kit.decode.hub_package import hub_package
from engines.kit.weights.weights import HubWeights
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
    summary="Natural speech at 48 kHz, from a clip without its words, or in a voice that you describe. Wants a GPU.",
    best_at=("full_sound", "described_voices"),
    licenses=(License("Apache-2.0"),),
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
    leading_direction=r"\([^()\n]{1,200}\)",
    load_options=LOAD_OPTIONS,
    wants_gpu=True,
    hub_id=_WEIGHTS.hub_id(),
)

PACKAGE = hub_package(_INFO, _WEIGHTS, (_SIZE,), "engines.voxcpm2.opening")
