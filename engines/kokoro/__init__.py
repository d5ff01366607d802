"""Kokoro-82M: natural speech on a CPU, in 54 built-in voices or in the voice of a recording. Importing this loads no torch."""

from engines.contract.contract import EngineInfo
from engines.contract.license import License
from engines.kit.decode.hub_package import hub_package
from engines.kit.phonemes.ipa import PHONEME_MARKUP
from engines.kit.signal.clip_analysis import check_voice
from engines.kokoro.options import CODES, LOAD_OPTIONS, OPTIONS, mother_tongue
from engines.kokoro.voices.voice_table import VOICES, is_male
from engines.kokoro.weights.sources import KokoroWeights

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
    marks_words=True,
)

PACKAGE = hub_package(_INFO, _WEIGHTS, _SIZES, "engines.kokoro.opening")
