"""The official package, run so that every number it computes can be compared. Imported only where it is installed.

Its environment (PyPI, Python 3.11): pocket-tts 4.0.1 with what it asks for; torch 2.14.1, scipy 1.17.1, sentencepiece 0.2.3, tokenizers
0.23.3, safetensors 0.8.0, numpy 2.4.6. Importing it sets torch to one thread, and loading a model writes to the root logger.
"""

import logging
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from pocket_tts import TTSModel
from pocket_tts.data.audio_utils import end_on_pause
from pocket_tts.default_parameters import MAX_TOKEN_PER_CHUNK
from pocket_tts.models.flow_lm import FlowLMModel
from pocket_tts.models.mimi import build_mimi
from pocket_tts.models.model_state import export_model_state
from pocket_tts.models.text_chunking import prepare_text_prompt, split_into_best_sentences
from pocket_tts.modules import text_conditioner
from pocket_tts.utils.config import CONFIGS_DIR, Config, load_config
from torch import Tensor

from tests.parity.replaced import replaced

__all__ = ["UPSTREAM", "Noise", "Package", "Spoken", "keys_and_values", "paused", "released_configs", "shapes_of_classes"]

UPSTREAM = "PyPI pocket-tts 4.0.1"
FRAMES_BEYOND = 2  # that generate_audio_stream adds to what a piece of text is given
Noise = Callable[[int, int], np.ndarray]  # number of a piece of the text, and of a frame in it -> (D,) float32 of variance 1
State = dict[str, dict[str, Tensor]]


@dataclass
class Spoken:
    """One text. N: frames made, those included that end a piece of text and are not heard.

    conditions: (N, W), what the head for latents makes of each row behind the layers. logits: (N,), of the end. latents: (N, D).
    frames: (F, 1920), what is heard. texts: each piece of it as ids, (T,).
    """

    conditions: list[np.ndarray] = field(default_factory=list)
    logits: list[float] = field(default_factory=list)
    latents: list[np.ndarray] = field(default_factory=list)
    frames: list[np.ndarray] = field(default_factory=list)
    texts: list[np.ndarray] = field(default_factory=list)

    def least_margin(self, threshold: float) -> float:
        """By how much the nearest logit misses the threshold. Where speech ends is luck where that is near the rounding error."""
        return float(np.abs(np.array(self.logits) - threshold).min())


class Package:
    """A folder as our engine opens it, in the official package: model.safetensors, the tokenizer, config.yaml."""

    def __init__(self, folder: Path, *, quantize: bool = False):
        logging.disable(logging.WARNING)
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "config.yaml"
            file.write_text(yaml.safe_dump(_placed(folder)))
            self.model = TTSModel.load_model(config=file, quantize=quantize)

    @torch.no_grad()
    def encoded(self, samples: np.ndarray) -> np.ndarray:
        """Latents (F, 32) of samples (T,) at 24 kHz, as they are."""
        return self.model.mimi.encode_to_latent(torch.from_numpy(samples.copy())[None, None])[0].numpy()

    def state(self, samples: np.ndarray) -> State:
        """What the package keeps of a voice, by its public door: (T,) at 24 kHz, or the file of a state."""
        return self.model.get_state_for_audio_prompt(torch.from_numpy(samples.copy())[None])

    def exported(self, state: State, file: Path) -> None:
        export_model_state(state, file)

    def read(self, file: Path) -> State:
        """A state from its file, by the public door."""
        return self.model.get_state_for_audio_prompt(file)

    def pieces(self, text: str) -> list[tuple[str, int]]:
        """What the package cuts a text into, as each is read, and how many frames of each it speaks from the one that ends it."""
        model = self.model
        rules = (
            model.pad_with_spaces_for_short_inputs,
            model.remove_semicolons,
            model.append_terminal_punctuation,
            model.capitalize_first_letter,
            model.replace_characters,
        )
        cut = split_into_best_sentences(model.flow_lm.conditioner.tokenizer, text, MAX_TOKEN_PER_CHUNK, *rules)
        return [(read, frames + FRAMES_BEYOND) for read, frames in (prepare_text_prompt(piece, *rules) for piece in cut)]

    def ids(self, text: str) -> np.ndarray:
        return self.model.flow_lm.conditioner.prepare(text)[0].numpy()

    def spoken(self, state: State, text: str, noise: Noise, *, n_frames: int | None = None, steps: int = 1) -> Spoken:
        """A text by the public door, with this noise. n_frames: most of each piece, in place of what its tokens allow."""
        said, at = Spoken(), _Place()
        self.model.sampler_decode_steps, self.model.max_decoder_frames_per_call = steps, 1
        with _watched(self.model.flow_lm, said, at), _noise(noise, at), _limited(self.model, n_frames):
            for piece in self.model.generate_audio_stream(state, text):
                said.frames.append(piece.numpy().copy())
        return said

    def streamed(self, state: State, text: str, n_frames: int, stop: threading.Event | None = None) -> Iterator[np.ndarray]:
        """So many frames of a text, cut as the package likes, with its own noise; for figures. On several threads at once, if need be."""
        self.model._estimate_max_gen_len = lambda _n_tokens: n_frames
        for piece in self.model.generate_audio_stream(state, text, stop=stop):
            yield piece.numpy()


def paused(samples: np.ndarray) -> np.ndarray:
    """Samples (T,) at 24 kHz as the package ends them before it encodes them."""
    return end_on_pause(torch.from_numpy(samples.copy())[None], 24_000)[0].numpy()


def keys_and_values(state: State) -> np.ndarray:
    """(L, 2, K, T, d) of a voice: layers, keys and values, heads of keys, rows."""
    layers = [state[f"transformer.layers.{number}.self_attn"] for number in range(len(state))]
    return torch.stack([layer["cache"][:, 0, : int(layer["offset"])].transpose(1, 2) for layer in layers]).numpy()


def released_configs() -> Mapping[str, Config]:
    """By the name of a model, what the package says about it."""
    return {file.stem: load_config(file) for file in sorted(CONFIGS_DIR.glob("*.yaml"))}


def shapes_of_classes(config: Config | Mapping) -> dict[str, tuple[int, ...]]:
    """Names and shapes that the official classes have at this configuration. No weights are made."""
    read = config if isinstance(config, Config) else Config(**config)
    with replaced(text_conditioner, "build_tokenizer", lambda *_: None), torch.device("meta"):
        flow_lm = FlowLMModel.from_pydantic_config(read.flow_lm, read.mimi.quantizer.dimension, read.flow_lm.insert_bos_before_voice)
        mimi = build_mimi(read.mimi)
    width = read.mimi.inner_dim or read.mimi.seanet.dimension
    shapes = {"flow_lm.speaker_proj_weight": (read.flow_lm.transformer.d_model, width)}
    for prefix, module in (("flow_lm", flow_lm), ("mimi", mimi)):
        shapes |= {f"{prefix}.{name}": tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    return shapes


def _placed(folder: Path) -> dict[str, Any]:
    """The folder's configuration, saying where its files are."""
    config = yaml.safe_load((folder / "config.yaml").read_text())
    table = config["flow_lm"]["lookup_table"]
    name = "tokenizer.json" if table["tokenizer"] == "tokenizers" else "tokenizer.model"
    table["tokenizer_path"] = str((folder / name).resolve())
    config.pop("weights_path_without_voice_cloning", None)
    return config | {"weights_path": str((folder / "model.safetensors").resolve())}


@dataclass
class _Place:
    """Where a text is: the number of its piece, of the frame in that, and whether rows are read of which no frame is made."""

    piece: int = -1
    frame: int = 0
    reads: bool = False


@contextmanager
def _watched(flow_lm: FlowLMModel, said: Spoken, at: _Place) -> Iterator[None]:
    def before(_module, _inputs, given: Mapping[str, Tensor]) -> None:
        at.reads = given["sequence"].shape[1] == 0
        if at.reads:
            at.piece, at.frame = at.piece + 1, 0

    def read(_module, inputs: tuple[Tensor], _output) -> None:
        if inputs[0].numel():
            said.texts.append(inputs[0][0].numpy().astype(np.int16))

    def ended(_module, _inputs, output: Tensor) -> None:
        if not at.reads:
            said.logits.append(float(output[0, 0]))

    def steered(_module, _inputs, output: Tensor) -> None:
        if not at.reads and len(said.conditions) < len(said.logits):  # once for all steps
            said.conditions.append(output[0].numpy().copy())

    def after(_module, _inputs, output: tuple[Tensor, Tensor]) -> None:
        if not at.reads:
            said.latents.append(output[0][0].numpy().copy())
            at.frame += 1

    handles = [
        flow_lm.register_forward_pre_hook(before, with_kwargs=True),
        flow_lm.conditioner.register_forward_hook(read),
        flow_lm.out_eos.register_forward_hook(ended),
        flow_lm.flow_net.cond_embed.register_forward_hook(steered),
        flow_lm.register_forward_hook(after),
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _noise(noise: Noise, at: _Place) -> Iterator[None]:
    """Let what the package draws for a frame be this. For rows that make none it draws as well."""

    def normal(tensor: Tensor, mean: float, std: float) -> Tensor:
        drawn = np.zeros(tensor.shape[-1], np.float32) if at.reads else noise(at.piece, at.frame)
        return tensor.copy_(torch.from_numpy(drawn) * std + mean)

    with replaced(torch.nn.init, "normal_", normal):
        yield


@contextmanager
def _limited(model: TTSModel, n_frames: int | None) -> Iterator[None]:
    if n_frames is None:
        yield
        return
    with replaced(model, "_estimate_max_gen_len", lambda _n_tokens: n_frames):
        yield
