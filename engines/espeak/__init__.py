"""The embedded engine: eSpeak NG speaks, and its speech gets a speaker's voice. Importing this loads neither library nor weights."""

from pathlib import Path

from engines.contract.contract import Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Option
from engines.contract.package import EnginePackage, Progress
from engines.errors import EngineUnavailable
from engines.espeak.reading.misreadings import LIMITS
from engines.kit.phonemes.ipa import PHONEME_MARKUP
from engines.kit.phonemes.languages import CODES
from engines.kit.signal.clip_analysis import check_voice

__all__ = ["PACKAGE"]

_ASSET = Path(__file__).parent / "prior" / "prior.safetensors"

_INFO = EngineInfo(
    id="espeak",
    title="Embedded (eSpeak NG)",
    summary="Runs on any CPU without downloads: the speaker's timbre and pitch, with a synthetic, even delivery.",
    best_at=("small_machines",),
    licenses=(License("Apache-2.0 (eSpeak NG itself: GPL-3.0, loaded at run time)"),),
    sample_rate=24_000,
    streams="block",
    transcript="optional",
    transcript_shapes_prompt=True,
    extractor_revision="5",
    languages=CODES,
    options=(
        Option("language", "choice", None, "Language of the text; guessed from its script and small words when left out.", choices=CODES),
        Option("speed", "float", 1.0, "Speaking rate; the pitch stays.", minimum=0.25, maximum=4.0, unit="x"),
        Option("pitch_semitones", "float", 0.0, "Moves the speaker's pitch.", minimum=-12.0, maximum=12.0, unit="semitones"),
        Option("seed", "int", 0, "Draws the noise in the voice.", minimum=0, maximum=2**63 - 1),
        Option("first_block_seconds", "float", 0.15, "Audio in the first block.", minimum=0.05, maximum=2.0, unit="s"),
        Option("block_seconds", "float", 0.3, "Audio in every later block.", minimum=0.05, maximum=2.0, unit="s"),
    ),
    weights_bytes=3_460_160,
    presets=("heart", "slt", "rms", "awb", "nsh"),
    default_preset="heart",
    sound_check=check_voice,
    markup=PHONEME_MARKUP,
    phones="ipa",
    language_limits=LIMITS,
    marks_words=True,
)


def _open(
    checkpoint: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    progress: Progress | None = None,
) -> Engine:
    """The engine with the weights of this folder, or with the file `checkpoint`; it computes in float32 on the CPU only."""
    from engines.espeak.engine import EspeakEngine

    if device not in (None, "cpu"):
        raise EngineUnavailable(sentence="device_unusable", engine=_INFO.title, detail="it computes on the CPU", name=str(device))
    if dtype not in (None, "float32"):
        raise EngineUnavailable(sentence="dtype_unusable", engine=_INFO.title, detail="it computes in float32", name=str(dtype))
    asset = Path(checkpoint) if checkpoint else _ASSET
    if not asset.is_file():
        raise EngineUnavailable(command="make prior", sentence="weights_incomplete", engine=_INFO.title, detail=asset.name, n=1)
    return EspeakEngine(_INFO, asset)


PACKAGE = EnginePackage(_INFO, _open)
