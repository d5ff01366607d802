"""dots.tts: clones a voice from a clip, with or without its words, at 48 kHz, in patches of 160 ms. Importing this loads no torch."""

from collections.abc import Mapping
from dataclasses import replace

from engines.contract.clip_wishes import ClipWishes
from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.contract.options import Value
from engines.contract.release import Release
from engines.dots.config import OF_EDITING, SIZES
from engines.dots.editing.edit_kinds import EDIT_KINDS
from engines.dots.options import LANGUAGE_LIMITS, LANGUAGES, LOAD_OPTIONS, OPTIONS
from engines.kit.decode.hub_package import hub_package
from engines.kit.weights.checkpoint_files import tensor_names
from engines.kit.weights.weights import HubWeights

__all__ = ["PACKAGE"]

_SIZE, _BYTES = "2B", 5_155_000_000  # core in bfloat16, the rest in float32, as their tensors make them up; nobody here has seen the files
_DEFAULT, _EDITING = "dots-studio/dots.tts-mf", "dots-studio/dots.tts.edit"
_RELEASES = (
    Release(_DEFAULT, _SIZE, _BYTES, "quick"),
    Release("dots-studio/dots.tts-mf-2steps", _SIZE, _BYTES, "quick"),
    Release("dots-studio/dots.tts-mf-1step", _SIZE, _BYTES, "quick"),
    Release("dots-studio/dots.tts-soar", _SIZE, 9_554_000_000, "better"),
    Release("dots-studio/dots.tts-base", _SIZE, _BYTES, "better"),
    Release("dots-studio/dots.tts-mf-2steps-stts", _SIZE, _BYTES, "quick"),
    Release(_EDITING, _SIZE, _BYTES, "better"),
)

_FILES = ("config.json", "llm_config.json", "tokenizer.json", "latent_stats.pt")
_TENSORS = ("model.safetensors", "vocoder.safetensors", "speaker_encoder.safetensors")

_WEIGHTS = HubWeights(
    repository=_DEFAULT,
    patterns=(*_FILES, *_TENSORS),
    needed=(*_FILES, *_TENSORS),
    released_bytes={release.repository: release.weights_bytes for release in _RELEASES},
)

_INFO = EngineInfo(
    id="dots",
    title="dots.tts",
    summary="A voice from a few seconds, without their words, at 48 kHz. Wants a GPU.",
    best_at=("cloning", "full_sound"),
    licenses=(License("Apache-2.0"),),
    sample_rate=48_000,
    streams="patch",
    transcript="optional",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=LANGUAGES,
    language_limits=LANGUAGE_LIMITS,
    options=OPTIONS,
    least_clip_seconds=1.0,
    most_clip_seconds=30.0,
    clip_wishes=ClipWishes(best_seconds=(5.0, 12.0), most_seconds=20.0),
    most_text_characters=2_000,
    load_options=LOAD_OPTIONS,
    wants_gpu=True,
)


def _info_of(info: EngineInfo, checkpoint: str | None, settings: Mapping[str, Value]) -> EngineInfo:
    """Whether a checkpoint changes recordings its files say; of one that is not here, its name, where it is the released one."""
    is_here = checkpoint is not None and _WEIGHTS.is_here(checkpoint)
    can_edit = OF_EDITING in tensor_names(_WEIGHTS.resolve(checkpoint)) if is_here else checkpoint == _EDITING
    return replace(info, edits=EDIT_KINDS if can_edit else ())


PACKAGE = replace(hub_package(_INFO, _WEIGHTS, SIZES, "engines.dots.opening", info_of=_info_of), releases=_RELEASES)
