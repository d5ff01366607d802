"""The official Qwen3-TTS package, run so that every number it computes can be compared. Imported only where that package is installed.

Its environment (PyPI, Python 3.11): torch 2.11.0, torchaudio 2.11.0, transformers 4.57.3, accelerate 1.12.0, tokenizers 0.22.2,
huggingface_hub 0.36.2, librosa 0.11.0, soundfile, einops, onnxruntime, sox, numpy 2.4.6, and qwen-tts 0.1.1 without its dependencies. Newer
transformers rename Mimi's modules, and the package then loads random weights without a word.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from qwen_tts import Qwen3TTSModel
from qwen_tts.core import Qwen3TTSTokenizerV2Config, Qwen3TTSTokenizerV2Model
from qwen_tts.core.models import Qwen3TTSConfig, Qwen3TTSForConditionalGeneration
from qwen_tts.core.models.modeling_qwen3_tts import mel_spectrogram
from transformers.models.mimi.modeling_mimi import MimiEuclideanCodebook

from engines.clips.clip import Clip
from tests.engines.qwen3_tts.checkpoints.random_checkpoint import RandomCheckpoint

__all__ = [
    "GREEDY",
    "REVISION",
    "Trace",
    "decode_float64",
    "load",
    "log_mel",
    "processed",
    "prompt",
    "shapes_of_classes",
    "speak",
    "speak_as",
    "traced",
]
__all__ += ["versions"]

REVISION = "022e286"  # of QwenLM/Qwen3-TTS, the same files as qwen-tts 0.1.1 on PyPI
# Greedy decoding takes no defaults from generation_config.json, and `do_sample=False` alone leaves the code predictor sampling.
GREEDY = {"do_sample": False, "subtalker_dosample": False, "repetition_penalty": 1.05}


def versions() -> dict[str, str]:
    """What the goldens depend on."""
    return {name: version(name) for name in ("qwen-tts", "transformers", "torch", "tokenizers", "numpy")}


def load(folder: Path, **given) -> Qwen3TTSModel:
    """The official model, fp32 on the CPU unless told otherwise."""
    return Qwen3TTSModel.from_pretrained(str(folder), **({"device_map": "cpu", "dtype": torch.float32} | given))


def prompt(model: Qwen3TTSModel, clip: Clip, words: str, *, in_context: bool = True) -> list:
    """The official speaker prompt; embedding-only where not in_context."""
    return model.create_voice_clone_prompt((np.array(clip.samples), clip.sample_rate), words, not in_context)


def speak(model: Qwen3TTSModel, text: str, learned: list, **given) -> tuple[np.ndarray, np.ndarray]:
    """Waveform and codes (F, 16) of one text."""
    with _calls(model.model, "generate") as calls:
        waveforms, _ = model.generate_voice_clone(text=text, voice_clone_prompt=learned, **given)
    return waveforms[0], calls[0][1][0][0].cpu().numpy()


def speak_as(model: Qwen3TTSModel, text: str, speaker: str, instruction: str, **given) -> tuple[np.ndarray, np.ndarray]:
    """Waveform and codes (F, 16) of one text in a voice of the model's own, speaker "" for one that the instruction describes."""
    with _calls(model.model, "generate") as calls:
        if speaker:
            waveforms, _ = model.generate_custom_voice(text=text, speaker=speaker, instruct=instruction, **given)
        else:
            waveforms, _ = model.generate_voice_design(text=text, instruct=instruction, **given)
    return waveforms[0], calls[0][1][0][0].cpu().numpy()


def log_mel(samples: np.ndarray) -> np.ndarray:
    """(frames, 128), as `extract_speaker_embedding` computes it."""
    settings = {"n_fft": 1024, "num_mels": 128, "sampling_rate": 24000, "hop_size": 256, "win_size": 1024, "fmin": 0, "fmax": 12000}
    return mel_spectrogram(torch.from_numpy(np.array(samples))[None], **settings)[0].T.numpy()


def decode_float64(model: Qwen3TTSModel, codes: np.ndarray) -> np.ndarray:
    """(B, 16, F) codes to (B, F * 1920) float64, in one piece. The angles of its rotary embedding stay float32."""
    decoder = model.model.speech_tokenizer.model.decoder.double()
    with torch.inference_mode():
        samples = decoder(torch.from_numpy(codes))[:, 0].numpy()
    decoder.float()
    return samples


def processed(model: Qwen3TTSModel, learned: list, logits: np.ndarray, history: np.ndarray, settings: Mapping) -> np.ndarray:
    """Logits (V,) after all that `generate` does to them before it draws from their softmax; what it would never choose is -inf."""
    with _calls(model.model.talker, "_get_logits_processor") as calls:
        speak(model, "Hi.", learned, language="english", max_new_tokens=2, do_sample=True, **settings)
    return calls[0][1](torch.from_numpy(history)[None], torch.from_numpy(logits)[None].clone())[0].numpy()


def shapes_of_classes(checkpoint: RandomCheckpoint) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """Names and shapes that the official classes have at these configs: main file, codec file. No weights are made."""
    given = {name: value for name, value in checkpoint.main.items() if name != "model_type"}
    with torch.device("meta"):
        main = Qwen3TTSForConditionalGeneration(Qwen3TTSConfig(**given))
        codec = Qwen3TTSTokenizerV2Model(Qwen3TTSTokenizerV2Config(**checkpoint.codec))
    return tuple({name: tuple(tensor.shape) for name, tensor in model.state_dict().items()} for model in (main, codec))


@dataclass
class Trace:
    """What went through the model: prompt rows, trailing rows of text, and by how much every choice was won."""

    rows: np.ndarray | None = None
    trailing: np.ndarray | None = None
    margins: list[float] = field(default_factory=list)

    @property
    def least_margin(self) -> float:
        """Between the best logit or distance and the second best. Greedy parity is luck where this is near the rounding error."""
        return min(self.margins)


@contextmanager
def traced(model: Qwen3TTSModel) -> Iterator[Trace]:
    """Record one run. The margin of code 0 is of logits before the repetition penalty."""
    trace, talker = Trace(), model.model.talker
    handles = [head.register_forward_hook(_margin_of(trace)) for head in (talker.codec_head, *talker.code_predictor.lm_head)]
    codebooks = [
        codebook for codebook in model.model.speech_tokenizer.model.encoder.modules() if isinstance(codebook, MimiEuclideanCodebook)
    ]
    with _calls(talker, "generate") as calls, _measured_codebooks(codebooks[:16], trace):
        yield trace
    for handle in handles:
        handle.remove()
    if calls:
        trace.rows, trace.trailing = (calls[0][0][name][0].numpy() for name in ("inputs_embeds", "trailing_text_hidden"))


def _margin_of(trace: Trace) -> Callable:
    def hook(_module, _inputs, logits: torch.Tensor) -> None:
        best = logits[0, -1, :2048].float().topk(2).values
        trace.margins.append(float(best[0] - best[1]))

    return hook


@contextmanager
def _measured_codebooks(codebooks: list, trace: Trace) -> Iterator[None]:
    """Let every codebook tell how much nearer its choice was than the next entry, in float64."""

    def measured(codebook: MimiEuclideanCodebook) -> Callable:
        quantize = codebook.quantize

        def run(vectors: torch.Tensor) -> torch.Tensor:
            nearest = torch.cdist(vectors.double(), codebook.embed.double(), compute_mode="donot_use_mm_for_euclid_dist").topk(
                2, largest=False
            )
            trace.margins.append(float((nearest.values[:, 1] - nearest.values[:, 0]).min()))
            return quantize(vectors)

        return run

    for codebook in codebooks:
        codebook.quantize = measured(codebook)
    yield
    for codebook in codebooks:
        del codebook.quantize


@contextmanager
def _calls(owner: object, name: str) -> Iterator[list]:
    """Record keyword arguments and result of every call of a method."""
    calls, method = [], getattr(owner, name)

    def recorded(**given):
        result = method(**given)
        calls.append((given, result))
        return result

    setattr(owner, name, recorded)
    yield calls
    delattr(owner, name)
