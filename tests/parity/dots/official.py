"""The official dots.tts package, run so that every number it computes can be compared. Imported only where that package is installed.

Its environment (PyPI, Python 3.11): torch and torchaudio 2.11.0, transformers 5.24.0, librosa 0.11.0, numpy 2.4.6, and dots.tts 0.3.1
without its dependencies, with loguru, langcodes, language_data, torchdiffeq, lingua-language-detector and pydantic. WeTextProcessing, which
it imports and uses where it is asked to, is stood in for.
"""

import random
import sys
import tempfile
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile
import torch

for _name in ("tn", "tn.chinese", "tn.chinese.normalizer", "tn.english", "tn.english.normalizer"):
    sys.modules.setdefault(_name, types.ModuleType(_name))
for _language in ("chinese", "english"):
    sys.modules[f"tn.{_language}.normalizer"].Normalizer = object

from dots_tts.data.edit_instruction import render_source_text, render_target_text  # noqa: E402
from dots_tts.edit_runtime import DotsTtsEditRuntime  # noqa: E402
from dots_tts.models.dots_tts.edit_model import DotsTtsEditModel  # noqa: E402
from dots_tts.models.dots_tts.model import DotsTtsModel  # noqa: E402
from dots_tts.runtime import DotsTtsRuntime  # noqa: E402
from dots_tts.runtime_double_streaming import DoubleStreamingSession  # noqa: E402
from loguru import logger  # noqa: E402

from engines.clips.clip import Clip  # noqa: E402
from tests.parity.dots.cases import Case, EditCase, noise_of  # noqa: E402
from tests.parity.replaced import replaced  # noqa: E402

__all__ = [
    "UPSTREAM", "Trace", "edit", "ids", "load", "load_editing", "prompt_samples", "render_source_text", "render_target_text",
    "shapes_of_classes", "source_samples", "speak",
]  # fmt: skip

UPSTREAM = "PyPI dots.tts 0.3.1"
logger.remove()


def load(folder: Path, kind: str = "") -> DotsTtsRuntime:
    """The official package with a checkpoint on the CPU, eager. kind: "edit" for that model's class."""
    model = (DotsTtsEditModel if kind == "edit" else DotsTtsModel).from_pretrained(folder)
    return DotsTtsRuntime(model, folder, precision="float32", optimize=False)


def load_editing(folder: Path) -> DotsTtsEditRuntime:
    """The same, for edits."""
    return DotsTtsEditRuntime(DotsTtsEditModel.from_pretrained(folder), folder, precision="float32", optimize=False)


def shapes_of_classes(config: dict, llm: dict) -> tuple[dict, dict, dict]:
    """Names and shapes that the official classes have at this configuration: core, vocoder, speaker encoder."""
    from dots_tts.models.dots_tts.config import ModelConfig
    from dots_tts.models.dots_tts.core import DotsTtsCore
    from dots_tts.modules.speaker.encoder import SpeakerXVectorFeatures
    from dots_tts.modules.vocoder.bigvgan import AudioVAE
    from transformers import Qwen2Config

    class Tokens:
        def __len__(self) -> int:
            return llm["vocab_size"]

        def convert_tokens_to_ids(self, _token: str) -> int:
            return 0

    read = ModelConfig.model_validate(config)
    with torch.device("meta"):
        core = DotsTtsCore(read, Qwen2Config.from_dict(llm), Tokens(), latent_stats_path=None)
        vocoder = AudioVAE(read.vocoder)
        vocoder.remove_weight_norm()
    speaker = SpeakerXVectorFeatures(read.vocoder.sample_rate, read.campplus_embedding_size)
    named = tuple({name: tuple(t.shape) for name, t in module.state_dict().items()} for module in (core, vocoder, speaker))
    named[0].pop("llm.lm_head.weight")
    return named


def ids(runtime: DotsTtsRuntime, text: str, words: str, language: str | None) -> np.ndarray:
    """Of the whole sequence before the first patch."""
    said, language = runtime._process_text(text, language=language, normalize=False)
    before = runtime._process_prompt_text(words, language=language)
    if language is not None and not before:
        from dots_tts.utils.text import attach_language_tag

        said = attach_language_tag(said, language)
    schedule = runtime._build_runtime_generation_schedule(template_name="tts", text=said, prompt_text=before, prompt_audio_patch_count=0)[
        "schedule_ids"
    ]
    return np.array(schedule[: schedule.index(runtime.model.core.audio_gen_span_id)], np.int32)


def prompt_samples(runtime: DotsTtsRuntime, clip: Clip) -> torch.Tensor:
    """(1, T): trimmed, resampled and completed."""
    with _as_file(clip) as file:
        samples = runtime._load_prompt_audio(file)
    return runtime.model._prepare_prompt_audio_for_conditioning(samples)[0]


@dataclass
class Trace:
    """What went through the model in one run: normalized patches (P, D) as they were drawn, the one that is not sounded among them, and
    the probability that each was the last.
    """

    patches: list[np.ndarray] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    @property
    def least_margin(self) -> float:
        """Of the decisions to end."""
        return min(abs(end - 0.8) for end in self.ends)


def speak(runtime: DotsTtsRuntime, case: Case, clip: Clip, said: tuple[str, str], prompt_noise: np.ndarray) -> tuple[np.ndarray, Trace]:
    """Waveform of a text, with the noise of our engine, and what went through the model.

    said: the words of the clip, and the text. prompt_noise: (T, D), of the recording.
    """
    words, text = said
    model, random_state = runtime.model, random.getstate()
    names = {"num_steps": None, "guidance_scale": None, "language": None, "speaker_scale": 1.5}
    given = {name: case.options.get(name, default) for name, default in names.items()}
    if case.kind == "mf" and given["num_steps"] is None:
        given["num_steps"] = 4  # of the makers' page; the package itself takes 10
    n_heard = len(prompt_noise) // model.config.patch_size - 1 if case.goes_on else 0
    n_draws = 2 if case.kind in ("mf-2steps", "stts", "stts-even") else 1
    runtime.max_generate_length = case.patches + (n_heard + 1 if case.goes_on else 0)
    first = prompt_noise if case.goes_on else None
    with _as_file(clip) as file, _noise(case.noise_seed, first, n_heard, n_draws, model), _traced(model) as trace:
        words = words if case.goes_on else None
        if case.reads_along:
            audio = _along(runtime, text, file, words)
        else:
            audio = runtime.generate(text=text, prompt_audio_path=file, prompt_text=words, **given)["audio"]
    random.setstate(random_state)
    trace.patches = trace.patches[1:] if case.reads_along and not case.goes_on else trace.patches  # the first is drawn in vain
    return audio.squeeze().numpy(), trace


def _along(runtime: DotsTtsRuntime, text: str, file: str, words: str | None) -> torch.Tensor:
    """Token by token."""
    session = DoubleStreamingSession(runtime, prompt_audio_path=file, prompt_text=words)
    ids = runtime.model.tokenizer.encode(text, add_special_tokens=False)
    chunks = [*(session.push_text_token(token) for token in ids), *session.finish_text()]
    return torch.cat([chunk for chunk in chunks if chunk is not None], dim=-1)


def source_samples(runtime: DotsTtsEditRuntime, clip: Clip) -> torch.Tensor:
    """(1, T) of a recording that is changed."""
    with _as_file(clip) as file:
        return runtime._load_edit_source_audio(file)


def edit(runtime: DotsTtsEditRuntime, case: EditCase, clip: Clip, source_noise: np.ndarray) -> tuple[np.ndarray, Trace, list[int]]:
    """Waveform of an edit, with the noise of our engine, what went through the model, and the ids of all before the first new patch.

    source_noise: (T, D), of the recording.
    """
    model, ids = runtime.model, []
    n_source = len(source_noise) // model.config.patch_size
    runtime.max_generate_length = n_source + case.patches
    names = {"num_steps": None, "guidance_scale": None, "speaker_scale": 1.5}
    given = {name: case.options.get(name, default) for name, default in names.items()}
    if case.language:  # as the makers' benchmark does, which the package leaves to others
        tag = f"[{case.language.upper()}]"
        given |= {"source_text": tag + render_source_text(case.instruction), "target_text": tag + render_target_text(case.instruction)}
    prefill = model._prefill_edit_audio_fills

    def prefilled(schedule: torch.Tensor, **kwargs) -> int:
        end = prefill(schedule, **kwargs)
        ids.extend(schedule[0, :end].tolist())
        return end

    with (
        _as_file(clip) as file,
        _noise(case.noise_seed, source_noise, 0, 1, model),
        replaced(model, "_prefill_edit_audio_fills", prefilled),
        _traced(model) as trace,
    ):
        audio = runtime.generate_edit(source_audio_path=file, instruction=case.instruction, **given)["audio"]
    return audio.squeeze().numpy(), trace, ids


@contextmanager
def _traced(model: DotsTtsModel) -> Iterator[Trace]:
    trace, decode, eos = Trace(), model._decode_next_audio, model._should_stop_after_current_audio

    def decoded(*args, **kwargs):
        patch = decode(*args, **kwargs)
        trace.patches.append(patch[0].numpy().copy())
        return patch

    def stops(state, *, eos_threshold: float):
        trace.ends.append(float(model.core.eos_proj(state.llm_hiddens).softmax(dim=-1)[:, -1, 1]))
        return eos(state, eos_threshold=eos_threshold)

    with replaced(model, "_decode_next_audio", decoded), replaced(model, "_should_stop_after_current_audio", stops):
        yield trace


@contextmanager
def _noise(seed: int, first: np.ndarray | None, n_heard: int, n_draws: int, model: DotsTtsModel) -> Iterator[None]:
    """Let draws be ours: of the recording's latents, where there are any (T, D), then of each patch."""
    config = model.config
    shape = (config.patch_size, config.latent_dim)

    def draws() -> Iterator[np.ndarray]:
        if first is not None:
            yield first.T[None]
        for patch in range(n_heard, 10_000):
            yield from noise_of(seed, patch, n_draws, shape)[:, None]

    left = draws()

    def randn(size: tuple[int, ...], **kwargs) -> torch.Tensor:
        given = torch.from_numpy(next(left)).to(kwargs.get("dtype"))
        if tuple(given.shape) != tuple(size):
            raise ValueError(f"noise of {tuple(given.shape)} for {tuple(size)}")
        return given.contiguous()

    def randn_like(like: torch.Tensor, **_) -> torch.Tensor:
        return randn(tuple(like.shape), dtype=like.dtype)

    with replaced(torch, "randn", randn), replaced(torch, "randn_like", randn_like):
        yield


@contextmanager
def _as_file(clip: Clip) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "clip.wav"
        soundfile.write(file, clip.samples, clip.sample_rate, subtype="FLOAT")
        yield str(file)
