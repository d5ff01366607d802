"""VoxCpm2Engine: the Engine contract on top of the networks. What a prompt holds, which mode speaks it, what is kept on the device.

Reference encoder: a clip at the encoder's rate becomes latents. Silence completes the last patch, or the first.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from engines.contract.options import Value, bool_option, float_option, int_option, text_option
from engines.contract.prompt import SpeakerPrompt, preset_digest, unreadable
from engines.contract.speech_end import SpeechEnd
from engines.errors import TextUnspeakable, TranscriptRequired
from engines.kit.codec.resampling import resample
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.batched_engine import BatchedEngine
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.frame_limit import frame_limit
from engines.kit.decode.frame_loop import speak
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.decode.runaway import RunawayGuard
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.text.spoken_length import spoken_seconds
from engines.voxcpm2 import options as modes
from engines.voxcpm2.batched_decoder import LEAST_PATCHES, DiffusionParams, PatchRows, PatchSlot, PatchStart
from engines.voxcpm2.input_sequence import patch_rows, reference_rows, text_rows
from engines.voxcpm2.networks import VoxCpm2Networks
from engines.voxcpm2.prepared import Continuation, ReferenceKeys
from engines.voxcpm2.text.input_text import input_text, joined

__all__ = ["ReadCounts", "VoxCpm2Engine", "patches_of", "samples_of"]

# Tensors of a prompt, (N, P, D) float32 each: the recording with silence behind it, none of it for a designed voice; and, where its words
# are known, with silence before it.
REFERENCE, CONTINUATION = "reference", "continuation"
PATCHES_PER_TOKEN, PATCHES_BEYOND = 6, 10  # of the text, the most that it may take: retry_badcase_ratio_threshold of the official generate
CONTEXT_PATCHES = 3  # of a recording, that the audio decoder hears before speech goes on: streaming_prefix_len - 1 upstream


@dataclass
class ReadCounts:
    """How often the engine did what a prepared voice spares it. For tests and figures."""

    encoder_runs: int = 0
    prefix_reads: int = 0
    continuation_reads: int = 0


class VoxCpm2Engine(BatchedEngine[VoxCpm2Networks, BatchedDecoder[PatchStart, PatchSlot]]):
    """One checkpoint on one device. Made by `engines.voxcpm2.open`.

    Extraction is float32 everywhere (`numeric_mode` "fp32"), TF32 off; language models, local encoder and diffusion compute in the dtype
    that the engine was opened with, the audio decoder in float32.
    """

    PREPARED_MOST_BYTES = 512 * 1024 * 1024  # a voice of 10 s takes 2.4 MB, and 1 MB more to go on from
    ROW_BYTES, MOST_GPU_WIDTH = 304_000_000, 16

    def __init__(self, info: EngineInfo, networks: VoxCpm2Networks, *, gpu: GpuUse = GpuUse(), width: int = 0):
        packed = networks.models, networks.local_encoder, networks.head
        decoder_of = lambda graphs, shapes: BatchedDecoder(PatchRows(networks, graphs, **shapes))  # noqa: E731
        super().__init__(info, networks, decoder_of, packed=packed, gpu=gpu, width=width)
        self.info = replace(info, sample_rate=networks.config.audio_vae_config.out_sample_rate)
        self.counts = ReadCounts()

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        samples = samples_of(clip, self._networks)
        self.counts.encoder_runs += 1
        tensors = {REFERENCE: patches_of(samples, self._networks, "after")}
        if _has_words(transcript):
            tensors[CONTINUATION] = patches_of(samples, self._networks, "before")
        facts = {"seconds": round(clip.seconds, 3), "patches": len(tensors[REFERENCE])}
        return self.make_prompt(clip.digest, tensors, transcript, facts)

    def preset(self, name: str) -> SpeakerPrompt:
        if name not in self.info.presets:
            return super().preset(name)
        config = self._networks.config
        return self.make_prompt(preset_digest(name), {REFERENCE: np.zeros((0, config.patch_size, config.feat_dim), np.float32)})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        stream_start, schedule = self._beginning(text, prompt, options)
        guard = RunawayGuard(self.info.sample_rate) if options["runaway_guard"] else None
        return (yield from speak(self._batched_decoder, stream_start, schedule, guard))

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Keep keys and values of the voice, for the mode that is the default."""
        self.check_prompt(prompt)
        self._prefix(prompt)

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        patch = (self._networks.config.patch_size, self._networks.config.feat_dim)
        fits = REFERENCE in prompt.tensors and prompt.tensors.keys() <= {REFERENCE, CONTINUATION}
        for tensor in prompt.tensors.values():
            fits = fits and tensor.dtype == np.float32 and tensor.ndim == 3 and tensor.shape[1:] == patch and np.isfinite(tensor).all()
        fits = fits and (CONTINUATION not in prompt.tensors or len(prompt.tensors[CONTINUATION]) == len(prompt.tensors[REFERENCE]) > 0)
        if not fits:
            raise unreadable(prompt)

    # --- private

    def _attentions(self) -> Iterator[tuple[AttentionConfig, torch.dtype]]:
        networks = self._networks
        decoders = networks.models.base_lm, networks.models.residual_lm, networks.local_encoder.encoder, networks.head.decoder
        for decoder in decoders:
            yield decoder.config.attention, networks.dtype
        yield networks.head.decoder.config.attention, torch.float32  # that of the audio decoder

    @torch.inference_mode()
    def _beginning(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> tuple[PatchStart, ChunkSchedule]:
        """Everything that is decided before the first patch. Raises TextUnspeakable, TranscriptRequired, EngineUnavailable."""
        networks, mode = self._networks, text_option(options, "mode")
        said = input_text(text, text_option(options, "instructions"), normalize=bool_option(options, "normalize"))
        goes_on = self._goes_on(prompt, mode)
        is_voice_given = mode != modes.CONTINUATION and len(prompt.tensors[REFERENCE]) > 0
        said_ids = networks.tokenizer.ids(said)
        before = prompt.transcript.text if goes_on and prompt.transcript is not None else None
        ids = said_ids if before is None else networks.tokenizer.ids(joined(before, said))
        rows = text_rows(ids, networks.models)
        state = self._continuation(prompt) if goes_on else None
        config = networks.config
        stream_start = PatchStart(
            prefix=self._prefix(prompt) if is_voice_given else None,
            rows=rows.followed_by(state.rows) if state else rows,
            last_patch=state.last_patch if state else rows.rows.new_zeros(1, config.patch_size, config.feat_dim),
            vae=state.vae if state else networks.decoder.initial_state(1),
            diffusion=DiffusionParams(
                int_option(options, "seed"), float_option(options, "cfg_value"), int_option(options, "inference_timesteps")
            ),
        )
        return stream_start, self._schedule(text, len(said_ids), stream_start, options)

    def _schedule(self, text: str, n_tokens: int, stream_start: PatchStart, options: Mapping[str, Value]) -> ChunkSchedule:
        """As many patches as the text may take, were asked for and have room. n_tokens: of what is said. Raises TextUnspeakable."""
        rate = self.info.sample_rate / self._networks.config.decoder_patch_samples
        most_rows = self._networks.config.max_length - max(LEAST_PATCHES, int(spoken_seconds(text) * rate))
        if stream_start.n_rows > most_rows:
            title = self.info.title
            raise TextUnspeakable(sentence="text_too_long_at_once", engine=title, n=stream_start.n_rows, most=most_rows)
        limit = frame_limit(
            text,
            frames_per_second=rate,
            asked=int_option(options, "max_patches"),
            room=self._networks.config.max_length - stream_start.n_rows,
            heeds_text=bool_option(options, "runaway_guard"),
            by_tokens=PATCHES_PER_TOKEN * n_tokens + PATCHES_BEYOND,
        )
        return ChunkSchedule(int_option(options, "first_chunk_patches"), int_option(options, "chunk_patches"), limit)

    def _goes_on(self, prompt: SpeakerPrompt, mode: str) -> bool:
        """Whether speech goes on from the recording. Raises TranscriptRequired where that was asked for and its words are not known."""
        if mode == modes.REFERENCE or not len(prompt.tensors[REFERENCE]):
            return False
        if CONTINUATION not in prompt.tensors or not _has_words(prompt.transcript):
            hint = "Add the words of the recording to the voice, or use the mode reference."
            raise TranscriptRequired(sentence="transcript_for_mode", hint=hint)
        return True

    def _prefix(self, prompt: SpeakerPrompt) -> ReferenceKeys | None:
        if not len(prompt.tensors[REFERENCE]):
            return None
        return self._prepared.get(prompt.content_digest, "prefix", lambda: self._read_prefix(prompt))

    @torch.inference_mode()
    def _read_prefix(self, prompt: SpeakerPrompt) -> ReferenceKeys:
        self.counts.prefix_reads += 1
        models = self._networks.models
        rows = reference_rows(self._networks.local_encoder(self._patches(prompt, REFERENCE)), models)
        cache = models.new_cache(1, rows.n_rows)
        models.read(rows.rows, rows.is_patch, cache)
        return ReferenceKeys(cache.base.tensor, cache.residual.tensor)

    def _continuation(self, prompt: SpeakerPrompt) -> Continuation:
        return self._prepared.get(prompt.content_digest, "continuation", lambda: self._read_continuation(prompt))

    @torch.inference_mode()
    def _read_continuation(self, prompt: SpeakerPrompt) -> Continuation:
        self.counts.continuation_reads += 1
        patches = self._patches(prompt, CONTINUATION)
        context = patches[-CONTEXT_PATCHES:].flatten(0, 1)[None].float()
        rows = patch_rows(self._networks.local_encoder(patches))
        return Continuation(rows, patches[-1:].clone(), self._networks.decoder.state_after(context))

    def _patches(self, prompt: SpeakerPrompt, name: str) -> torch.Tensor:
        """(N, P, D) on the device, in the dtype of the language models, as they and the audio decoder hear them upstream."""
        return torch.tensor(prompt.tensors[name], device=self._networks.device).to(self._networks.dtype)


def _has_words(transcript: Transcript | None) -> bool:
    return transcript is not None and bool(transcript.text.strip())


# --- a recording


def samples_of(clip: Clip, networks: VoxCpm2Networks) -> np.ndarray:
    """(T,) float32 at the encoder's rate, resampled as the official package does it (librosa.load)."""
    return resample(clip.samples, clip.sample_rate, networks.config.audio_vae_config.sample_rate)


@torch.inference_mode()
def patches_of(samples: np.ndarray, networks: VoxCpm2Networks, silence: Literal["before", "after"]) -> np.ndarray:
    """(T,) float32 -> (N, P, D) float32, a patch per 160 ms, silence where the recording does not fill them.

    Upstream (VoxCPM2Model._encode_wav): after it where it is a reference, before it where speech goes on from its end.
    """
    patch_samples = networks.config.patch_size * networks.encoder.hop_samples
    missing = -len(samples) % patch_samples
    padded = np.pad(samples, (missing, 0) if silence == "before" else (0, missing))
    with ieee_float32():
        latents = networks.encoder.encode(torch.from_numpy(padded).to(networks.device)[None])
    return latents[0].unflatten(0, (-1, networks.config.patch_size)).cpu().numpy()
