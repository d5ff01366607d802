"""Engines whose streams are rows of a batched decoder, opened at toy size, as the laws of batched decoders want them (test_lane_laws.py).

A new engine of this kind adds a function here; its `opened.py` has the short ways to speak that the laws use.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from engines.dots.batched_decoder import DotsRows
from engines.fish_speech.batched_decoder import FishRows
from engines.voxcpm2 import batched_decoder as voxcpm2_decoder
from engines.voxcpm2.batched_decoder import PatchRows
from engines.voxtral.batched_decoder import VoxtralRows
from tests.engines.dots import opened as dots
from tests.engines.fish_speech import opened as fish_speech
from tests.engines.pocket_tts import opened as pocket_tts
from tests.engines.voxcpm2 import opened as voxcpm2
from tests.engines.voxtral import opened as voxtral

__all__ = ["LANES", "DecoderSubject"]

TWO_PIECES = "The sentence and then the voice. " * 10


@dataclass(frozen=True)
class DecoderSubject:
    """of: the engine's module of short ways: opened, learned, reference, spoken, say, TEXT.

    asked: text, voice, options of five streams, different in all that streams may differ in. n_frames: of TEXT, each of frame_samples.
    even: options with which all pieces of TEXT are of one length. few_sizes: (owner, name) -> of the sizes of graphs those `asked` has;
    None for a batched decoder without graphs.
    """

    of: ModuleType
    asked: Sequence[tuple[str, int, Mapping[str, object]]]
    n_frames: int
    frame_samples: int
    even: Mapping[str, object]
    few_sizes: Mapping[tuple[object, str], object] | None


def _voxcpm2() -> DecoderSubject:
    """All modes, other lengths, another number of steps."""
    asked = [
        (voxcpm2.TEXT, 0, {"seed": 3}),
        ("And then the voice.", 1, {"mode": "continuation"}),
        (voxcpm2.TEXT, 1, {"mode": "both", "cfg_value": 3.0}),
        ("The voice.", 0, {"inference_timesteps": 3, "chunk_patches": 2}),
        (voxcpm2.TEXT, 1, {"seed": 9, "instructions": "a text", "max_patches": 5}),
    ]
    sizes = {"DEFAULT_STEPS": voxcpm2.FEW_STEPS["inference_timesteps"], "KEY_SIZES": (64,), "ROW_SIZES": (16, 48)}
    few = {(voxcpm2_decoder if name == "DEFAULT_STEPS" else PatchRows, name): size for name, size in sizes.items()}
    return DecoderSubject(voxcpm2, asked, voxcpm2.PATCHES, voxcpm2.PATCH, {"chunk_patches": 1}, few)


def _dots() -> DecoderSubject:
    """Both modes, another number of steps, texts of one piece and of two."""
    asked = [
        (dots.TEXT, 0, {"seed": 3}),
        ("And then the voice.", 1, {"mode": "continuation"}),
        (TWO_PIECES, 1, {"max_patches": 3, "speaker_scale": 1.0}),
        ("The voice.", 0, {"num_steps": 3, "chunk_patches": 2}),
        (dots.TEXT, 1, {"seed": 9, "language": "de", "max_patches": 5}),
    ]
    sizes = {"KEY_SIZES": (256,), "PATCH_SIZES": (128,), "ROW_SIZES": (64, 128)}
    few = {(DotsRows, name): size for name, size in sizes.items()}
    return DecoderSubject(dots, asked, dots.PATCHES, dots.PATCH, {"chunk_patches": 1}, few)


def _fish_speech() -> DecoderSubject:
    """Texts of one piece and of two, alone and behind the piece before."""
    asked = [
        (fish_speech.TEXT, 0, {"seed": 3}),
        (TWO_PIECES, 1, {"context_pieces": 1, "max_new_tokens": 6}),
        (fish_speech.TEXT, 1, {"instructions": "the voice", "temperature": 1.3, "top_k": 0, "top_p": 1.0}),
        ("The voice.", 0, {"codec_chunk_frames": 2}),
        (TWO_PIECES, 0, {"seed": 9, "max_new_tokens": 5}),
    ]
    sizes = {"KEY_SIZES": (256,), "PROMPT_KEYS": 128, "ROW_SIZES": (32, 96), "PIECE_SIZES": (4, 1)}
    few = {(FishRows, name): size for name, size in sizes.items()}
    return DecoderSubject(fish_speech, asked, fish_speech.FRAMES, fish_speech.FRAME, {"codec_chunk_frames": 2}, few)


def _pocket_tts() -> DecoderSubject:
    """Texts of one piece and of three, another number of steps of the head."""
    asked = [
        (pocket_tts.TEXT, 0, {"seed": 3}),
        (TWO_PIECES, 1, {"max_frames": 4}),
        (pocket_tts.TEXT, 1, {"decode_steps": 3, "temperature": 0.7}),
        ("The voice.", 0, {"chunk_frames": 2}),
        (TWO_PIECES, 0, {"seed": 9, "max_frames": 3}),
    ]
    return DecoderSubject(pocket_tts, asked, pocket_tts.FRAMES, pocket_tts.FRAME, {"chunk_frames": 1}, None)


def _voxtral() -> DecoderSubject:
    """Texts of one piece and of two, voices of a clip and built-in ones, with and without guidance."""
    asked = [
        (voxtral.TEXT, 0, {"seed": 3}),
        (TWO_PIECES, 1, {"max_new_tokens": 5}),
        (voxtral.TEXT, 1, {"cfg_alpha": 1.0}),
        ("The voice.", 2, {"codec_chunk_frames": 2}),
        (TWO_PIECES, 0, {"seed": 9, "max_new_tokens": 4}),
    ]
    sizes = {"KEY_SIZES": (384,), "PROMPT_KEYS": 384, "ROW_SIZES": (32, 320), "PIECE_SIZES": (4, 1)}
    few = {(VoxtralRows, name): size for name, size in sizes.items()}
    return DecoderSubject(voxtral, asked, voxtral.FRAMES, voxtral.FRAME, {"initial_codec_chunk_frames": 2, "codec_chunk_frames": 2}, few)


LANES: dict[str, Callable[[], DecoderSubject]] = {
    "voxcpm2": _voxcpm2, "dots": _dots, "fish_speech": _fish_speech, "pocket_tts": _pocket_tts, "voxtral": _voxtral,
}  # fmt: skip
