"""The official code of Voxtral TTS, run so that every number it computes can be compared. Imported only where vllm-omni is.

Its environment (PyPI, Python 3.11): torch 2.11.0, transformers 5.23.0, mistral-common 1.13.1, safetensors 0.8.0, einops 0.8.2, regex,
soundfile 0.14.0, soxr 1.1.0, numpy 2.3.5, and vllm-omni 0.30.0 without its dependencies. Of that package (Apache-2.0) are flow head, codec,
embedding of frames, and the loop's order; of mistral-common the prompt; of transformers the backbone, which vllm-omni leaves to vLLM.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from mistral_common.protocol.speech.request import SpeechRequest
from mistral_common.tokens.tokenizers.audio import Audio
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from safetensors import safe_open
from torch import Tensor, nn
from transformers import PreTrainedModel

from engines.clips.clip import Clip
from tests.parity.replaced import replaced
from tests.parity.voxtral.cases import Speech, noise_of
from tests.parity.voxtral.official_backbone import OfficialBackbone
from tests.parity.voxtral.vllm_modules import UPSTREAM, module

__all__ = ["UPSTREAM", "FlowTrace", "Package", "SpeechTrace"]

N_SPECIAL, END = 2, 1
AUDIO_TOKEN = 24


@dataclass
class FlowTrace:
    """What went through the flow head for B frames.

    logits: (B, V), before any is masked. times: (N, D), waves of the times; time_rows: (N, D), projected. widths: (N - 1,) of the steps.
    levels: (N, B, A), before each step and behind the last. velocities: (N - 1, 2B, A), told the state and told nothing. codes: (B, Q) as
    they come, with the special ones.
    """

    logits: Tensor
    times: Tensor
    time_rows: Tensor
    widths: Tensor
    levels: Tensor
    velocities: Tensor
    codes: Tensor

    def semantic_margin(self, n_semantic: int) -> float:
        """By how much the likeliest logits were larger than the next."""
        best = self.logits[:, END : N_SPECIAL + n_semantic].float().topk(2).values
        return float((best[:, 0] - best[:, 1]).min())

    @property
    def level_margin(self) -> float:
        """See level_margin. Frames that are the end have none."""
        return level_margin(self.levels[-1][self.codes[:, 0] != END].float().clamp(-1, 1))


@dataclass
class SpeechTrace:
    """ids: of the prompt. rows: (T, D), its embedding. prompt_states: (T, D). states: (D,) each frame was made from, the end's too.

    codes: (Q,) of each frame, without the special ones. ended: whether the end was said.
    """

    ids: list[int]
    rows: Tensor
    prompt_states: Tensor
    states: list[Tensor] = field(default_factory=list)
    codes: list[Tensor] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    ended: bool = False

    @property
    def frames(self) -> np.ndarray:
        """(Q, F) int64."""
        return torch.stack(self.codes, dim=1).numpy() if self.codes else np.zeros((37, 0), np.int64)


def level_margin(levels: Tensor, n_levels: int = 21) -> float:
    """How far numbers of [-1, 1] are from where they would be rounded to the next level, in levels."""
    scaled = (levels.double() + 1) / 2 * (n_levels - 1)
    return float(((scaled - scaled.floor()) - 0.5).abs().min()) if levels.numel() else np.inf


class Package:
    """A checkpoint folder as official code uses it."""

    def __init__(self, folder: Path, dtype: torch.dtype = torch.float32):
        """dtype: of backbone and flow head; the codec is float32."""
        params = json.loads((folder / "params.json").read_text())
        self.folder, self.n_semantic = folder, params["multimodal"]["audio_model_args"]["semantic_codebook_size"]
        self.tokenizer = MistralTokenizer.from_file(folder / "tekken.json")
        self.model = _opened(params, self.tokenizer, dtype)
        with safe_open(folder / "consolidated.safetensors", "pt") as file:
            self.model.load_weights((name, file.get_tensor(name)) for name in file.keys())  # noqa: SIM118
        self.model.requires_grad_(False)
        self.codec, self.flow, self.backbone = self.model.audio_tokenizer, self.model.acoustic_transformer, self.model.language_model
        book = self.codec.quantizer.semantic_codebook
        book.cluster_usage, book.embedding_sum = book.cluster_usage.float(), book.embedding_sum.float()
        self.dtype = dtype

    # --- the flow head

    def flowed(self, hidden_states: Tensor, noise: Tensor, scales: Tensor) -> FlowTrace:
        """(B, D), (B, A), (B,): as forward of the flow head has it."""
        flow, logits, times, velocities, levels = self.flow, [], [], [], []
        hooks = [
            flow.semantic_codebook_output.register_forward_hook(lambda _m, _i, out: logits.append(out.clone())),
            flow.time_embedding.register_forward_hook(lambda _m, _i, out: times.append(out)),
            flow.acoustic_codebook_output.register_forward_hook(lambda _m, _i, out: velocities.append(out.clone())),
            flow.input_projection.register_forward_hook(lambda _m, given, _o: levels.append(given[0][:, 0].chunk(2)[0].clone())),
        ]
        flow._timesteps_cache.clear()

        def clamped(numbers: Tensor, *bounds: float) -> Tensor:
            levels.append(numbers.clone())
            return clamp(numbers, *bounds)

        clamp = torch.clamp
        with _noise(noise), replaced(torch, "clamp", clamped):
            codes = flow(llm_hidden=hidden_states.to(self.dtype), cfg_alpha=scales)
        for hook in hooks:
            hook.remove()
        _, time_rows, widths = flow._timesteps_cache[self.dtype]
        return FlowTrace(logits[0], times[0], time_rows, widths, torch.stack(levels), torch.stack(velocities), codes)

    # --- the codec

    def decoded(self, codes: np.ndarray) -> np.ndarray:
        """(Q, F) without the special codes -> (T,)."""
        return self.codec.decode(torch.from_numpy(codes)[None])[0, 0].numpy()

    def encoded(self, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """(T,) at 24 kHz -> codes (Q, F) without the special ones; rows (F + 1, D) of a prompt; the margin."""
        seen = []
        hook = self.codec.encoder_blocks[-1].register_forward_hook(lambda _m, _i, out: seen.append(out[0].T))
        with _without_autocast():
            codes = self.codec._tokenize_audio(torch.from_numpy(samples)[None, None])[0]
        hook.remove()
        n_semantic = self.codec.quantizer.semantic_dim
        distances = torch.cdist(seen[0][:, :n_semantic], self.codec.quantizer.semantic_codebook.embedding)
        nearest = distances.topk(2, largest=False).values
        margin = min(float((nearest[:, 1] - nearest[:, 0]).min()), level_margin(seen[0][:, n_semantic:].tanh()))
        return codes.numpy(), self._rows(torch.from_numpy(samples)).numpy(), margin

    # --- a speech

    def prompt(self, speech: Speech) -> tuple[list[int], Tensor]:
        """Ids, and rows (T, D)."""
        if speech.clip is not None:
            return self.prompt_after(speech.clip, self.voice_of(speech.clip), speech.text)
        voice = torch.load(self.folder / "voice_embedding" / f"{speech.voice}.pt", weights_only=True)
        return self._prompt(SpeechRequest(input=speech.text, voice=speech.voice), voice)

    def prompt_after(self, clip: Clip, voice: Tensor, text: str) -> tuple[list[int], Tensor]:
        """The same in the voice of a recording, whose rows are known."""
        wav = Audio(np.array(clip.samples), clip.sample_rate, "wav").to_base64("wav")
        return self._prompt(SpeechRequest(input=text, ref_audio=wav), voice)

    def voice_of(self, clip: Clip) -> Tensor:
        """Rows (F + 1, D) of a recording at any rate."""
        audio = Audio(np.array(clip.samples), clip.sample_rate, "wav")
        audio.resample(self.codec.sampling_rate)
        return self._rows(torch.from_numpy(audio.audio_array))

    def _rows(self, samples: Tensor) -> Tensor:
        with _without_autocast():
            return self.codec.encode_waveforms([samples.float()])[0]

    def _prompt(self, request: SpeechRequest, voice: Tensor) -> tuple[list[int], Tensor]:
        ids = self.tokenizer.encode_speech_request(request).tokens
        rows = self.backbone.embed(torch.tensor(ids))
        rows[torch.tensor(ids) == AUDIO_TOKEN] = voice.to(rows.dtype)
        return ids, rows

    def spoken(self, speech: Speech) -> SpeechTrace:
        """Until the end, or as many frames as are asked for."""
        ids, rows = self.prompt(speech)
        cache = self.backbone.new_cache()
        states = self.backbone.states(rows, cache)
        trace = SpeechTrace(ids, rows, states)
        while len(trace.codes) < speech.n_frames:
            trace.states.append(states[-1])
            flowed = self.flowed(states[-1:], noise_of(speech.seed, len(trace.codes))[None], torch.tensor([speech.scale]))
            trace.margins += [flowed.semantic_margin(self.n_semantic), flowed.level_margin]
            if flowed.codes[0, 0] == END:
                trace.ended = True
                break
            trace.codes.append(flowed.codes[0] - N_SPECIAL)
            states = self.backbone.states(self.frame_row(flowed.codes), cache)
        return trace

    def frame_row(self, codes: Tensor) -> Tensor:
        """(1, Q) as they come -> (1, D), by the door that a step's codes go through."""
        return self.model.embed_multimodal(audio_tokens=codes[:, None])[0].to(self.dtype)


@contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """As vLLM has it while it builds a model: also the points of the flow head's times are computed in it (torch.linspace)."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def _undrawn() -> Iterator[None]:
    """Weights that are loaded anyway are not drawn before, which takes minutes at full size."""
    with ExitStack() as stack:
        for kind in (nn.Linear, nn.Embedding):
            stack.enter_context(replaced(kind, "reset_parameters", lambda _module: None))
        stack.enter_context(replaced(PreTrainedModel, "init_weights", lambda _module: None))
        yield


def _opened(params: dict, tokenizer: MistralTokenizer, dtype: torch.dtype) -> nn.Module:
    """The official model of everything, with transformers' backbone in the place of vLLM's, and the codec in float32."""
    audio = module("parsers.voxtral_tts")._remap_voxtral_tts_audio_args(deepcopy(params))
    config = SimpleNamespace(audio_config=audio, text_config=SimpleNamespace(hidden_size=params["dim"], vocab_size=params["vocab_size"]))
    encoder = SimpleNamespace(audio_token=AUDIO_TOKEN)
    named = SimpleNamespace(instruct=SimpleNamespace(audio_encoder=encoder, tokenizer=tokenizer.instruct_tokenizer.tokenizer))
    asked = SimpleNamespace(model_config=SimpleNamespace(hf_config=config, tokenizer=named), quant_config=None)

    def model(*, architectures: list[str] | None = None, **_: object) -> nn.Module:
        if architectures is None:
            return OfficialBackbone(params)
        with _default_dtype(torch.float32):
            return getattr(module("voxtral_tts_audio_tokenizer"), architectures[0])(vllm_config=asked)

    asked.model = model
    with _default_dtype(dtype), _undrawn():
        return module("voxtral_tts_audio_generation").VoxtralTTSAudioGenerationForConditionalGeneration(vllm_config=asked).eval()


@contextmanager
def _noise(noise: Tensor) -> Iterator[None]:
    """What the flow head draws is this, in its dtype."""

    def randn(*size: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        assert size == tuple(noise.shape)
        return noise.to(device, dtype)

    with replaced(torch, "randn", randn):
        yield


@contextmanager
def _without_autocast() -> Iterator[None]:
    """bfloat16, which the package encodes recordings in for flash-attn's sake, is off."""
    with replaced(torch, "autocast", lambda **_: nullcontext()):
        yield
