"""The official package, run so that every number it computes can be compared. Imported only where it is installed.

Its environment (PyPI, Python 3.11): torch 2.11.0, torchaudio 2.11.0, transformers 5.23.0, tokenizers 0.23.3, accelerate 1.15.0, librosa
0.11.0, pydub 0.25.1, soundfile 0.14.0, safetensors 0.8.0, numpy 2.4.6, and omnivoice 0.2.1 without its dependencies. Attention is torch's
scaled dot product: the other one of the package ("eager") adds its mask of truths as numbers, so that padding is seen.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pydub looks for ffmpeg, which nothing here needs
    from omnivoice.models import omnivoice as upstream
    from omnivoice.utils.audio import remove_silence
    from omnivoice.utils.text import chunk_text_punctuation
from transformers.models.higgs_audio_v2_tokenizer import modeling_higgs_audio_v2_tokenizer as codec

from engines.clips.clip import Clip

__all__ = ["UPSTREAM", "Noise", "Package", "Spoken", "Task", "Voice", "finished", "removed", "shapes_of_classes", "weight"]

UPSTREAM = "PyPI omnivoice 0.2.1, transformers 5.23.0"
Task, Voice = upstream.GenerationTask, upstream.VoiceClonePrompt
Noise = Callable[
    [int, tuple[int, ...]], Tensor
]  # number of a step among those that settle a code, shape (Q, T) or (Q, T, V) -> uniform numbers


@dataclass(frozen=True)
class Spoken:
    """codes: (Q, T) int64, of each chunk one where the text was long. margins: by how much each choice was won."""

    codes: tuple[np.ndarray, ...]
    margins: tuple[float, ...]


@dataclass
class _Watch:
    """What goes on in a loop: the step, by how much the token of each place was won, and the choices made so far."""

    noise: Noise | None
    step: int = -1
    token_margins: Tensor | None = None
    margins: list[float] = field(default_factory=list)


class Package:
    """A checkpoint folder as the official package uses it, on the CPU in float32."""

    def __init__(self, folder: Path):
        # transformers asks a hub about tokenizers of folders it does not know; local_files_only keeps it at home
        self.model = upstream.OmniVoice.from_pretrained(
            str(folder), attn_implementation="sdpa", dtype=torch.float32, device_map="cpu", local_files_only=True
        ).eval()
        if self.model.llm.config._attn_implementation != "sdpa":
            raise SystemExit("The official package was to use torch's scaled dot product and does not.")

    def voice(self, clip: Clip, words: str) -> tuple[Voice, float]:
        """What is kept of a clip, and by how much the closest of its codes was won."""
        with _code_margins() as margins:
            voice = self.learned(clip, words)
        return voice, min(margins)

    @torch.inference_mode()
    def learned(self, clip: Clip, words: str) -> Voice:
        """What is kept of a clip."""
        return self.model.create_voice_clone_prompt((torch.from_numpy(clip.samples.copy()), clip.sample_rate), words)

    def encoded(self, samples: np.ndarray) -> tuple[np.ndarray, float]:
        """Codes (Q, F) of samples (T,) at the codec's rate, and the least margin."""
        with _code_margins() as margins, torch.inference_mode():
            codes = self.model.audio_tokenizer.encode(torch.from_numpy(samples)[None, None]).audio_codes[0]
        return codes.numpy(), min(margins)

    def decoded(self, codes: np.ndarray) -> np.ndarray:
        """(T,) of codes (Q, F)."""
        with torch.inference_mode():
            return self.model.audio_tokenizer.decode(torch.from_numpy(codes)[None]).audio_values[0, 0].numpy()

    def task(self, text: str, voice: Voice | None = None, **given: Any) -> Task:
        """given: language, instruct, speed, duration."""
        return self.model._preprocess_all(text, voice_clone_prompt=voice, **given)

    def prompt_ids(self, task: Task, *, denoise: bool) -> np.ndarray:
        """(N,): ids before the codes of the reference and of the target."""
        inputs = self._inputs(task, denoise)
        return inputs["input_ids"][0, 0, ~inputs["audio_mask"][0]].numpy()

    def logits(self, task: Task, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(T, Q, V) of each branch, conditional and not, with codes (Q, T) at the target's places; computed as one batch with padding."""
        inputs, n_frames = self._inputs(task, denoise=True), codes.shape[1]
        n_positions = inputs["input_ids"].shape[2]
        ids = torch.full((2, codes.shape[0], n_positions), self.model.config.audio_mask_id)
        audio, seen = torch.zeros(2, n_positions, dtype=torch.bool), torch.zeros(2, 1, n_positions, n_positions, dtype=torch.bool)
        ids[0], audio[0], seen[0] = inputs["input_ids"][0], inputs["audio_mask"][0], True
        ids[0, :, -n_frames:] = ids[1, :, :n_frames] = torch.from_numpy(codes)
        audio[1, :n_frames], seen[1, :, :n_frames, :n_frames] = True, True
        padding = torch.arange(n_frames, n_positions)
        seen[1, :, padding, padding] = True
        with torch.inference_mode():
            made = self.model(input_ids=ids, audio_mask=audio, attention_mask=seen).logits
        return tuple(branch.transpose(0, 1).numpy() for branch in (made[0, :, -n_frames:], made[1, :, :n_frames]))

    def spoken(self, task: Task, settings: Mapping[str, Any], noise: Noise | None = None) -> Spoken:
        """Codes of a text. noise: in place of the package's draws; without it there must be none."""
        config = upstream.OmniVoiceGenerationConfig(**settings)
        short, _ = task.get_indices(config, self.model.audio_tokenizer.config.frame_rate)
        with self._watched(noise) as watch, torch.inference_mode():
            made = self.model._generate_iterative(task, config) if short else self.model._generate_chunked(task, config)[0]
        return Spoken(tuple(codes.numpy() for codes in made), tuple(watch.margins))

    def heard(self, text: str, voice: Voice | None, noise: Noise | None, **given: Any) -> tuple[np.ndarray, float]:
        """(T,) float32, through the package's own door, and the least margin. given: of OmniVoice.generate."""
        with self._watched(noise) as watch:
            samples = self.model.generate(text, voice_clone_prompt=voice, **given)[0]
        return samples, min(watch.margins)

    def together(self, tasks: Sequence[Task], settings: Mapping[str, Any]) -> list[np.ndarray]:
        """Codes of several texts in one batch; nothing may be drawn."""
        lists = [each.name for each in fields(Task) if each.name not in ("batch_size", "speed")]
        task = Task(len(tasks), **{name: [getattr(task, name)[0] for task in tasks] for name in lists})
        with torch.inference_mode():
            made = self.model._generate_iterative(task, upstream.OmniVoiceGenerationConfig(**settings))
        return [codes.numpy() for codes in made]

    def chunks(self, task: Task, settings: Mapping[str, Any]) -> list[str]:
        """What a long text is cut into."""
        (text,), (n_frames,) = task.texts, task.target_lens
        config = upstream.OmniVoiceGenerationConfig(**settings)
        frames = config.audio_chunk_duration * self.model.audio_tokenizer.config.frame_rate
        return chunk_text_punctuation(text, int(frames / (n_frames / len(text))), 3)

    def _inputs(self, task: Task, denoise: bool) -> dict[str, Tensor]:
        return self.model._prepare_inference_inputs(
            task.texts[0], task.target_lens[0], task.ref_texts[0], task.ref_audio_tokens[0], task.langs[0], task.instructs[0], denoise
        )

    @contextmanager
    def _watched(self, noise: Noise | None) -> Iterator[_Watch]:
        """Of one stream: with several in a batch, margins are those of the last and noise is refused."""
        watch = _Watch(noise)
        predict, topk, gumbel = self.model._predict_tokens_with_scoring, torch.topk, upstream._gumbel_sample

        def predicted(conditional: Tensor, unconditional: Tensor, config: upstream.OmniVoiceGenerationConfig) -> tuple[Tensor, Tensor]:
            watch.step, watch.token_margins = watch.step + 1, None
            tokens, scores = predict(conditional, unconditional, config)
            if watch.token_margins is None:  # greedy
                watch.token_margins = _lead(_guided(conditional, unconditional, config.guidance_scale))
            return tokens, scores

        def sampled(logits: Tensor, temperature: float) -> Tensor:
            drawn = gumbel(logits, temperature)
            if logits.dim() == 4:
                watch.token_margins = _lead(drawn)
            return drawn

        def chosen(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
            values, places = topk(scores, min(k + 1, len(scores)))
            if k < len(values) and values[k] > -torch.inf:
                watch.margins.append(float(values[k - 1] - values[k]))
            watch.margins.append(float(watch.token_margins.flatten()[places[:k]].min()))
            return topk(scores, k)

        def uniform(like: Tensor) -> Tensor:
            if watch.noise is None or like.shape[0] != 1:
                raise SystemExit("The official package drew noise that nobody gave it.")
            return watch.noise(watch.step, tuple(like.shape[1:])).reshape(like.shape)

        with (
            _replaced(self.model, "_predict_tokens_with_scoring", predicted),
            _replaced(upstream, "_gumbel_sample", sampled),
            _replaced(torch, "topk", chosen),
            _replaced(torch, "rand_like", uniform),
        ):
            yield watch


def removed(samples: np.ndarray, rate: int, middle_ms: int, leading_ms: int, trailing_ms: int) -> np.ndarray:
    """(T',) of samples (T,): without silences."""
    return remove_silence(samples[None], rate, middle_ms, leading_ms, trailing_ms)[0]


def finished(samples: np.ndarray, rate: int, rms: float | None, *, removes_silences: bool) -> np.ndarray:
    """What is made of a decoded speech, within full scale, which it may exceed where silences are kept.

    Nothing of what is silent, whose peak the package fails to look for.
    """
    model, config = SimpleNamespace(sampling_rate=rate), upstream.OmniVoiceGenerationConfig(postprocess_output=removes_silences)
    try:
        whole = upstream.OmniVoice._post_process_audio(model, samples[None].copy(), rms, config)
    except ValueError:
        return samples[:0]
    return whole[0].clip(-1.0, 1.0)


def weight(text: str) -> float:
    """What the package takes a text to last, in Latin letters."""
    return upstream.RuleDurationEstimator().calculate_total_weight(text)


def shapes_of_classes(config: Mapping[str, Any], codec_config: Mapping[str, Any]) -> tuple[dict[str, tuple[int, ...]], ...]:
    """Names and shapes that the official classes have at these configurations: main file, file of the codec. No weights are made."""
    with torch.device("meta"):
        main = upstream.OmniVoice(upstream.OmniVoiceConfig(**config))
        tokenizer = codec.HiggsAudioV2TokenizerModel(codec.HiggsAudioV2TokenizerConfig(**codec_config))
    return tuple({name: tuple(tensor.shape) for name, tensor in module.state_dict().items()} for module in (main, tokenizer))


def _guided(conditional: Tensor, unconditional: Tensor, scale: float) -> Tensor:
    """Log probabilities without the mask, in float64."""
    conditional, unconditional = (logits.double().log_softmax(-1) for logits in (conditional, unconditional))
    return (conditional + scale * (conditional - unconditional)).log_softmax(-1)[..., :-1]


def _lead(logits: Tensor) -> Tensor:
    """By how much the first leads the second."""
    first, second = torch.sort(logits, dim=-1, descending=True).values[..., :2].unbind(-1)
    return first - second


@contextmanager
def _code_margins() -> Iterator[list[float]]:
    """By how much the second closest entries were farther than the closest, as shares of the mean distance."""
    margins: list[float] = []
    quantize = codec.HiggsAudioV2TokenizerEuclideanCodebook.quantize

    def watched(self: Any, states: Tensor) -> Tensor:
        distances = torch.cdist(states.double(), self.embed.double()).square()
        nearest = distances.sort(dim=-1).values
        margins.append(float(((nearest[:, 1] - nearest[:, 0]) / distances.mean()).min()))
        return quantize(self, states)

    with _replaced(codec.HiggsAudioV2TokenizerEuclideanCodebook, "quantize", watched):
        yield margins


@contextmanager
def _replaced(owner: object, name: str, value: object) -> Iterator[None]:
    """Let an attribute be this for a while."""
    original, own = getattr(owner, name), name in vars(owner)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own:
            setattr(owner, name, original)
        else:
            delattr(owner, name)
