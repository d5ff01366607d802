"""Layouts: of every engine with a checkpoint, a toy one and which of its files is what."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.engines.cosyvoice3.tiny_checkpoint import write_tiny_checkpoint as write_cosyvoice3
from tests.engines.dots.tiny_checkpoint import write_tiny_checkpoint as write_dots
from tests.engines.fish_speech.tiny_checkpoint import write_tiny_checkpoint as write_fish_speech
from tests.engines.kokoro.random_checkpoint import write_speaking_checkpoint as write_kokoro
from tests.engines.omnivoice.tiny_checkpoint import write_tiny_checkpoint as write_omnivoice
from tests.engines.pocket_tts.tiny_checkpoint import write_tiny_checkpoint as write_pocket_tts
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import FEW_CODEBOOKS
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import write_tiny_checkpoint as write_qwen3_tts
from tests.engines.voxcpm2.tiny_checkpoint import write_tiny_checkpoint as write_voxcpm2
from tests.engines.voxtral.tiny_checkpoint import write_tiny_checkpoint as write_voxtral

__all__ = ["LAYOUTS", "Layout"]


@dataclass(frozen=True)
class Layout:
    """Files by their names in the checkpoint's folder.

    write: makes it. weights: files of tensors, the main one first. config: what says sizes. vocabulary: what makes ids of text; None where
    the engine has none of its own. rope: keys that lead to a section with a rotary embedding; None where nothing of the kind is read.
    graphs: ONNX files. voices: of built-in voices. codec: the codec's file, "" for none of its own. more_configs: of its parts.
    optional: of all, those that may be absent. reads_index: its main weights may be in shards.
    other: writes the checkpoint of another model, and the file in it that is its codec.
    """

    write: Callable[[Path], object]
    weights: tuple[str, ...]
    config: str
    vocabulary: str | None
    rope: tuple[str, ...] | None = None
    graphs: tuple[str, ...] = ()
    voices: tuple[str, ...] = ()
    codec: str = ""
    more_configs: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    reads_index: bool = False
    other: tuple[Callable[[Path], object], str] | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """All that hold numbers."""
        return (*self.weights, *self.graphs, *self.voices)


_SAFE, _INDEX = "model.safetensors", "model.safetensors.index.json"
_SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")

LAYOUTS = {
    "qwen3_tts": Layout(
        partial(write_qwen3_tts, n_codebooks=FEW_CODEBOOKS),
        (_SAFE, f"speech_tokenizer/{_SAFE}"),
        "config.json",
        "vocab.json",
        ("talker_config",),
        codec=f"speech_tokenizer/{_SAFE}",
        more_configs=("speech_tokenizer/config.json", "generation_config.json"),
        optional=("generation_config.json",),
        reads_index=True,
        other=(write_qwen3_tts, f"speech_tokenizer/{_SAFE}"),
    ),
    "voxcpm2": Layout(
        write_voxcpm2,
        (_SAFE, "audiovae.pth"),
        "config.json",
        "tokenizer.json",
        ("lm_config",),
        codec="audiovae.pth",
        other=(partial(write_voxcpm2, shape="sparse"), "audiovae.pth"),
    ),
    "dots": Layout(
        write_dots,
        (_SAFE, "vocoder.safetensors", "speaker_encoder.safetensors"),
        "llm_config.json",
        "tokenizer.json",
        (),
        codec="vocoder.safetensors",
        more_configs=("config.json",),
        other=(partial(write_dots, shape="usual"), "vocoder.safetensors"),
    ),
    "fish_speech": Layout(
        write_fish_speech,
        (*_SHARDS, "codec.pth"),
        "config.json",
        "tokenizer.json",
        ("text_config",),
        codec="codec.pth",
        reads_index=True,
        other=(partial(write_fish_speech, n_codebooks=5), "codec.pth"),
    ),
    "omnivoice": Layout(
        write_omnivoice,
        (_SAFE, f"audio_tokenizer/{_SAFE}"),
        "config.json",
        "tokenizer.json",
        ("llm_config",),
        codec=f"audio_tokenizer/{_SAFE}",
        more_configs=("audio_tokenizer/config.json",),
        reads_index=True,
        other=(write_qwen3_tts, f"speech_tokenizer/{_SAFE}"),
    ),
    "cosyvoice3": Layout(
        write_cosyvoice3,
        ("llm.pt", "flow.pt", "hift.pt"),
        "CosyVoice-BlankEN/config.json",
        "CosyVoice-BlankEN/vocab.json",
        (),
        graphs=("campplus.onnx", "speech_tokenizer_v3.onnx"),
        codec="flow.pt",
        more_configs=("cosyvoice3.yaml",),
        other=(partial(write_cosyvoice3, shape="sparse"), "flow.pt"),
    ),
    "voxtral": Layout(
        partial(write_voxtral, encoder=True),
        ("consolidated.safetensors",),
        "params.json",
        "tekken.json",
        (),
        voices=("voice_embedding/de_male.pt",),
    ),
    "pocket_tts": Layout(
        partial(write_pocket_tts, presets=("alba",)),
        (_SAFE,),
        "config.yaml",
        "tokenizer.json",
        voices=("embeddings/alba.safetensors",),
        optional=("config.yaml",),
    ),
    "kokoro": Layout(write_kokoro, (_SAFE,), "config.json", None),
}
