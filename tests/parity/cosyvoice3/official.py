"""The official CosyVoice3, run so that every number it computes can be compared. Imported only where it is installed.

Its environment (Python 3.11): torch 2.11.0, torchaudio 2.11.0, transformers 4.51.3 (with 5 it computes another thing), tokenizers 0.21.4,
huggingface-hub 0.36.0, HyperPyYAML 1.2.3 with ruamel.yaml 0.18.17, omegaconf 2.3.1, x-transformers 2.11.24, einops, diffusers 0.39.0,
conformer, lightning 2.6.6, hydra-core 1.3.8, librosa 0.11.0, inflect 7.6.0, wetext 0.1.8, pyworld, onnx 1.23.2, onnxruntime 1.32.0,
soundfile, regex, and without their dependencies openai-whisper 20250625, tiktoken, s3tokenizer 0.3.0, vllm-omni 0.30.0. On the path
(PYTHONPATH, or a .pth file) the trees of FunAudioLLM/CosyVoice at ace7c47 and of shivammehta25/Matcha-TTS, whose spectrogram it uses.
"""

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from threading import enumerate as enumerate_threads
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip

sys.modules.setdefault("modelscope", ModuleType("modelscope")).snapshot_download = None  # it would only fetch what is not in the folder
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import whisper
    from cosyvoice.cli import cosyvoice, frontend
    from cosyvoice.llm import llm
    from cosyvoice.utils import file_utils
    from cosyvoice.utils.common import ras_sampling
    from hyperpyyaml import load_hyperpyyaml
    from transformers import Qwen2Config, Qwen2ForCausalLM

__all__ = ["PREFIX", "RATE", "UPSTREAM", "Noise", "Package", "Utterance", "Watch", "drawn", "replaced", "shapes_of_classes"]

UPSTREAM = "FunAudioLLM/CosyVoice ace7c47, transformers 4.51.3"
PREFIX = "You are a helpful assistant.<|endofprompt|>"  # of example.py @ ace7c47
RATE = 24_000
RELEASED_END_OF_PROMPT = 151_646
LOGITS_KEPT = 6  # steps

Noise = Callable[[int, int], float]  # step of the language model, draw within it (0, and 1 where the first was said just before) -> uniform
logging.disable(logging.WARNING)


@dataclass
class Watch:
    """What went on while tokens were drawn. logits: (V,) of the first steps. seconds: steps whose token was drawn a second time.

    margins: of each draw, how far the uniform number was from one that had drawn another, as a share of the whole.
    """

    logits: list[np.ndarray] = field(default_factory=list)
    seconds: list[int] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Utterance:
    """tokens: what the language model said, without the end. ended: by itself."""

    tokens: np.ndarray
    ended: bool
    watch: Watch


class Package:
    """A checkpoint folder as the official code uses it, on the CPU in float32."""

    def __init__(self, folder: Path):
        with replaced(llm.Qwen2ForCausalLM, "from_pretrained", _untrained), _as_clips(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.cosyvoice = cosyvoice.AutoModel(model_dir=str(folder))
        self.frontend, self.model = self.cosyvoice.frontend, self.cosyvoice.model
        if type(self.model).__name__ != "CosyVoice3Model":
            raise SystemExit("The folder is no CosyVoice3 to the official code.")
        self.model.flow.eval()
        self.hop_tokens = self.model.flow.decoder.estimator.static_chunk_size // self.model.flow.token_mel_ratio
        # The official code looks for the one id that the mark of a prompt's end has in the release; a small vocabulary has it elsewhere.
        self._shift = RELEASED_END_OF_PROMPT - self.ids("<|endofprompt|>")[0]
        self.model.llm.llm.model.model.embed_tokens.register_forward_pre_hook(lambda _, ids: (ids[0] - self._shift,))

    # Extraction

    def tokens(self, clip: Clip) -> np.ndarray:
        """(N,) int32, by onnxruntime."""
        with _as_clips():
            return self.frontend._extract_speech_token(clip)[0][0].numpy()

    def embedding(self, clip: Clip) -> np.ndarray:
        """(192,), by onnxruntime."""
        with _as_clips():
            return self.frontend._extract_spk_embedding(clip)[0].numpy()

    def mel(self, clip: Clip) -> np.ndarray:
        """(frames, 80)."""
        with _as_clips():
            return self.frontend._extract_speech_feat(clip)[0][0].numpy()

    def log_mel(self, clip: Clip) -> np.ndarray:
        """(128, frames), what the speech tokenizer reads."""
        with _as_clips():
            return whisper.log_mel_spectrogram(frontend.load_wav(clip, 16_000), n_mels=128)[0].numpy()

    def filter_bank(self, clip: Clip) -> np.ndarray:
        """(frames, 80), what the speaker encoder reads, without its mean."""
        with _as_clips():
            features = frontend.kaldi.fbank(frontend.load_wav(clip, 16_000), num_mel_bins=80, dither=0, sample_frequency=16_000)
        return (features - features.mean(dim=0, keepdim=True)).numpy()

    # Text

    def ids(self, text: str) -> list[int]:
        return self.frontend._extract_text_token(text)[0][0].tolist()

    def pieces(self, text: str, *, normalizer: bool, numbers: bool) -> list[str]:
        """What a text is cut into. normalizer: whether wetext is there. numbers: whether inflect spells digits of what is not Chinese."""
        spell = frontend.spell_out_number if numbers else (lambda text, _: text)
        with replaced(self.frontend, "text_frontend", "wetext" if normalizer else ""), replaced(frontend, "spell_out_number", spell):
            return list(self.frontend.text_normalize(text, split=True))

    # Speech

    def inputs(self, text: str, clip: Clip, words: str | None, instructions: str | None) -> dict[str, Tensor]:
        """What `tts` of the official model is given: in context with words, else by instructions or across languages."""
        told = f"You are a helpful assistant. {instructions}<|endofprompt|>"
        with _as_clips():
            if words is not None:
                inputs = self.frontend.frontend_zero_shot(text, PREFIX + words, clip, RATE, "")
            elif instructions is not None:
                inputs = self.frontend.frontend_instruct2(text, told, clip, RATE, "")
            else:
                inputs = self.frontend.frontend_cross_lingual(PREFIX + text, clip, RATE, "")
        return {name: ids + self._shift if name in ("text", "prompt_text") else ids for name, ids in inputs.items()}

    def prompt_ids(self, inputs: Mapping[str, Tensor]) -> np.ndarray:
        """(N,): ids of text that the language model reads."""
        given = [inputs[name][0] - self._shift for name in ("prompt_text", "text") if name in inputs]
        return torch.cat(given).numpy()

    def conversion_inputs(self, source: Clip, clip: Clip) -> dict[str, Tensor]:
        with _as_clips():
            return self.frontend.frontend_vc(source, clip, RATE)

    def said(self, inputs: Mapping[str, Tensor], noise: Noise, most: int) -> Utterance:
        """At most so many tokens of a text. There is no least length: the official one forbids another id than the end."""
        given = {
            name: inputs.get(name, torch.zeros(1, 0, dtype=torch.int32)) for name in ("text", "prompt_text", "llm_prompt_speech_token")
        }
        lengths = {name: torch.tensor([ids.shape[1]], dtype=torch.int32) for name, ids in given.items()}
        with self.watched(noise) as watch:
            tokens = list(
                self.model.llm.inference(
                    text=given["text"],
                    text_len=lengths["text"],
                    input_text=given["prompt_text"],
                    prompt_text_len=lengths["prompt_text"],
                    prompt_speech_token=given["llm_prompt_speech_token"],
                    prompt_speech_token_len=lengths["llm_prompt_speech_token"],
                    embedding=torch.zeros(0, 192),
                    **_lengths(most, given["text"]),
                )
            )
        return Utterance(np.array(tokens, np.int64), len(tokens) < most, watch)

    def flow(self, tokens: Sequence[int], prompt: Mapping[str, Tensor], *, finalize: bool, streaming: bool = True) -> np.ndarray:
        """(frames, 80) after the prompt. finalize: no token comes after these; else the last three are looked at alone."""
        flow_prompt, mel = prompt["flow_prompt_speech_token"], prompt["prompt_speech_feat"]
        made, _ = self.model.flow.inference(
            token=torch.tensor([list(tokens)], dtype=torch.int32),
            token_len=torch.tensor([len(tokens)], dtype=torch.int32),
            prompt_token=flow_prompt,
            prompt_token_len=torch.tensor([flow_prompt.shape[1]], dtype=torch.int32),
            prompt_feat=mel,
            prompt_feat_len=torch.tensor([mel.shape[1]], dtype=torch.int32),
            embedding=prompt["flow_embedding"],
            streaming=streaming,
            finalize=finalize,
        )
        return made[0].T.numpy()

    def sound(self, mel: np.ndarray, *, finalize: bool = True) -> np.ndarray:
        """(T,) of mel frames (F, 80). finalize: else the last 8 frames are looked at alone."""
        return self.model.hift.inference(torch.from_numpy(mel.T.copy())[None], finalize)[0][0].numpy()

    def pitch(self, mel: np.ndarray) -> np.ndarray:
        """(F,) Hz of mel frames (F, 80)."""
        predictor = self.model.hift.f0_predictor.double()
        with torch.inference_mode():
            return predictor(torch.from_numpy(mel.T.copy())[None].double())[0].float().numpy()

    def heard(self, inputs: Mapping[str, Tensor], noise: Noise | None, most: int, *, masked_end: bool = True) -> list[np.ndarray]:
        """What a caller hears, piece by piece, through the official loop. masked_end: the last piece is made as those before it are.

        noise: None for a conversion. most: tokens of a text.
        """
        model, text = self.model, inputs.get("text", torch.zeros(1, 1))
        speak = partial(model.llm.inference, **_lengths(most, text))
        model.token_hop_len, model.token_max_hop_len = self.hop_tokens, 4 * self.hop_tokens  # it raises its own as it goes along
        to_sound = model.token2wav

        def masked(**given: Any) -> Tensor:
            return to_sound(**{**given, "stream": masked_end or given.get("stream", False)})

        with self.watched(noise), replaced(model.llm, "inference", speak), replaced(model, "token2wav", masked), _quiet():
            return [piece["tts_speech"][0].numpy() for piece in model.tts(**inputs, stream=True)]

    def passed(self, said: Sequence[int]) -> list[int]:
        """Those of the language model's tokens that are made sound."""
        model, name = self.model, "speech"
        model.tts_speech_token_dict[name], none = [], torch.zeros(1, 0, dtype=torch.int32)
        with replaced(model.llm, "inference", lambda **_: iter(said)), _quiet():
            model.llm_job(none, none, none, none, name)
        return model.tts_speech_token_dict.pop(name)

    def voice(self, clip: Clip, words: str) -> dict[str, Tensor]:
        """What the official code keeps of a speaker (add_zero_shot_spk)."""
        with _as_clips():
            kept = self.frontend.frontend_zero_shot("", PREFIX + words, clip, RATE, "")
        return {name: value for name, value in kept.items() if name not in ("text", "text_len")}

    def spoken(self, text: str, voice: Mapping[str, Tensor], most: int) -> Iterator[np.ndarray]:
        """The official stream as it is, of so many tokens if none ends it. Closed, it has its language model stop."""
        model, stopped, threads = self.model, Event(), set(enumerate_threads())
        ids, say = torch.tensor([self.ids(text)], dtype=torch.int32) + self._shift, model.llm.inference

        def speak(**given: Any) -> Iterator[int]:
            for token in say(**given, **_lengths(most, ids)):
                if stopped.is_set():
                    return
                yield token

        inputs = {**voice, "prompt_text": voice["prompt_text"] + self._shift, "text": ids}
        model.token_hop_len = self.hop_tokens
        with replaced(model.llm, "inference", speak), _quiet():
            try:
                for piece in model.tts(**inputs, stream=True):
                    yield piece["tts_speech"][0].numpy()
            finally:
                stopped.set()
                for thread in set(enumerate_threads()) - threads:
                    thread.join()

    @contextmanager
    def pitches(self) -> Iterator[list[np.ndarray]]:
        """Of the frames that are sounded meanwhile, (F,) Hz each time."""
        found = []
        hook = self.model.hift.f0_predictor.register_forward_hook(lambda _module, _given, pitch: found.append(pitch[0].numpy().copy()))
        try:
            yield found
        finally:
            hook.remove()

    def give_noise(self, source: np.ndarray) -> None:
        """Let the vocoder add this noise instead of its own table: (T, 9) of [0, 1)."""
        self.model.hift.m_source.l_sin_gen.sine_waves = torch.from_numpy(source)[None]

    @contextmanager
    def watched(self, noise: Noise | None) -> Iterator[Watch]:
        """Let draws be by these uniform numbers, through the inverse of the distribution function."""
        watch, network, place = Watch(), self.model.llm, {}
        sample = network.sampling

        def sampling(scores: Tensor, decoded: list[int], most: int) -> int:
            place.update(step=len(decoded), draw=0)
            if len(watch.logits) < LOGITS_KEPT:
                watch.logits.append(scores.numpy().copy())
            return sample(scores, decoded, most)

        def uniform() -> float:
            if noise is None:
                raise SystemExit("The official code drew what nobody gave it.")
            watch.seconds += [place["step"]] * place["draw"]
            place["draw"] += 1
            return noise(place["step"], place["draw"] - 1)

        with replaced(network, "sampling", sampling), _drawing_by(uniform, watch.margins):
            yield watch


def shapes_of_classes(folder: Path) -> dict[str, dict[str, tuple[int, ...]]]:
    """Names and shapes that the official classes have by the folder's configuration, of llm.pt, flow.pt and hift.pt. Nothing is drawn."""
    given = {"qwen_pretrain_path": str(folder / "CosyVoice-BlankEN"), "hifigan": None}
    with torch.device("meta"), replaced(llm.Qwen2ForCausalLM, "from_pretrained", _untrained):
        parts = load_hyperpyyaml((folder / "cosyvoice3.yaml").read_text(), overrides=given)
    return {name: {key: tuple(tensor.shape) for key, tensor in parts[name].state_dict().items()} for name in ("llm", "flow", "hift")}


def drawn(logits: Tensor, said: list[int], uniforms: Sequence[float]) -> tuple[int, list[float]]:
    """What the official rule draws from logits (V,) after the tokens said, by one uniform number or two, and the margins."""
    left, margins = iter(uniforms), []
    with _drawing_by(lambda: next(left), margins):
        return ras_sampling(logits, said, None), margins


@contextmanager
def _drawing_by(uniform: Callable[[], float], margins: list[float]) -> Iterator[None]:
    """Let a draw be where a uniform number falls in the distribution function."""

    def multinomial(weights: Tensor, count: int, replacement: bool = False) -> Tensor:
        if count != 1:
            raise SystemExit("The official code drew several at once.")
        ends, at = weights.double().cumsum(0) / weights.double().sum(), uniform()
        margins.append(float((ends[:-1] - at).abs().min()) if len(ends) > 1 else 1.0)
        return (ends <= at).sum().clamp(max=len(ends) - 1)[None]

    with replaced(torch.Tensor, "multinomial", multinomial):
        yield


def _lengths(most: int, text: Tensor) -> dict[str, float]:
    """So many tokens at most, which the official code takes as a multiple of the text's, and 0 at least."""
    return {"max_token_text_ratio": (most + 0.5) / text.shape[1], "min_token_text_ratio": 0}


def _untrained(folder: str) -> Qwen2ForCausalLM:
    """The network of a config.json: its weights are all in llm.pt."""
    return Qwen2ForCausalLM(Qwen2Config.from_pretrained(folder)).eval()


@contextmanager
def _as_clips() -> Iterator[None]:
    """Let clips be what files are to the official code: torchaudio 2.11 reads none without torchcodec."""

    def load(clip: Clip, **_: object) -> tuple[Tensor, int]:
        return torch.from_numpy(clip.samples.copy())[None], clip.sample_rate

    with replaced(file_utils.torchaudio, "load", load):
        yield


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch.cuda.amp
        yield


@contextmanager
def replaced(owner: object, name: str, value: object) -> Iterator[None]:
    """Let an attribute be this for a while."""
    original, own = getattr(owner, name), name in vars(owner)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original) if own else delattr(owner, name)
