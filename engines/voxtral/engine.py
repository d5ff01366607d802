"""VoxtralEngine: the Engine contract on top of the networks. What a prompt holds, how a text is spoken in pieces, what is kept on the
device.

Reference encoder: a recording at the codec's rate becomes codes. Silence completes it to a whole patch; it is encoded in float32.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from engines.contract.options import Value, bool_option, float_option, int_option
from engines.contract.prompt import SpeakerPrompt, adopted_digest, preset_digest, unreadable
from engines.contract.prompt_form import MOST_VALUE, PromptForm
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import ClipsUnsupported, EmbeddingUnusable, TextUnspeakable
from engines.kit.codec.resampling import resample
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.batched_engine import BatchedEngine
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.frame_limit import frame_limit
from engines.kit.decode.frame_loop import speak
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.decode.row_stream import RowStream
from engines.kit.decode.runaway import RunawayGuard
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.nn.key_prefix import KeyPrefix
from engines.voxtral.batched_decoder import FlowParams, VoxtralRows, VoxtralStart
from engines.voxtral.codec.codec_encoder import VoxtralCodecEncoder
from engines.voxtral.config import VoxtralCodecConfig
from engines.voxtral.input_sequence import VoxtralInputSequence
from engines.voxtral.networks import VoxtralNetworks
from engines.voxtral.options import CODES, EMBEDDINGS, MOST_VOICE_FRAMES, prompt_forms
from engines.voxtral.text_pieces import text_pieces

__all__ = ["VoxtralCounts", "VoxtralEngine", "codes_of"]


@dataclass
class VoxtralCounts:
    """How often the engine did what a prepared voice spares it. For tests and figures."""

    encoder_runs: int = 0
    prefix_reads: int = 0


class VoxtralEngine(BatchedEngine[VoxtralNetworks, BatchedDecoder[VoxtralStart, RowStream]]):
    """One checkpoint on one device. Made by `engines.voxtral.open`.

    A prompt holds the rows of a voice, (N, D) float32 (EMBEDDINGS), as the built-in ones are published, or its codes, (Q, F) int16 (CODES),
    which the backbone's own table makes rows of. Extraction, where the checkpoint has what it takes, is float32 everywhere (`numeric_mode`
    "fp32"), TF32 off; backbone and flow head compute in the dtype that the engine was opened with, the codec in float32.
    """

    PREPARED_MOST_BYTES = 1024 * 1024 * 1024  # a voice takes 7 to 40 MB in bfloat16: all that are built in
    ROW_BYTES, MOST_GPU_WIDTH = 219_000_000, 16

    def __init__(self, info: EngineInfo, networks: VoxtralNetworks, *, gpu: GpuUse = GpuUse(), width: int = 0):
        decoder_of = lambda graphs, shapes: BatchedDecoder(VoxtralRows(networks, graphs, gpu.codec_graphs(graphs), **shapes))  # noqa: E731
        super().__init__(info, networks, decoder_of, packed=(networks.backbone, networks.flow, networks.decoder), gpu=gpu, width=width)
        audio, presets = networks.config.audio_model, tuple(name for name in info.presets if name in networks.voices)
        presets += tuple(name for name in networks.voices if name not in presets)
        default = info.default_preset if info.default_preset in presets else next(iter(presets), None)
        forms = prompt_forms(networks.config.dim, audio.codebook_sizes)
        self.info = replace(
            info, clones_clips=networks.encoder is not None, presets=presets, default_preset=default, prompt_forms=forms
        )  # fmt: skip
        self.counts = VoxtralCounts()
        self._rows = VoxtralInputSequence(networks.backbone, networks.tokenizer)
        self._frames_per_second = info.sample_rate / networks.config.codec.frame_samples
        self._forms = {form.name: form for form in forms}

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        self.counts.encoder_runs += 1
        assert self._networks.encoder is not None  # check_clip has refused what these weights cannot learn
        codes = codes_of(clip, self._networks.encoder, self._networks.config.codec, self._networks.device)
        facts = {"seconds": round(clip.seconds, 3), "frames": codes.shape[1]}
        return self.make_prompt(clip.digest, {CODES: codes}, transcript, facts)

    def preset(self, name: str) -> SpeakerPrompt:
        if name not in self.info.presets:
            return super().preset(name)
        return self.make_prompt(preset_digest(name), {EMBEDDINGS: self._networks.voices[name].float().numpy()})

    def adopt(self, name: str, tensor: np.ndarray) -> SpeakerPrompt:
        form = self._forms.get(name)
        if form is None or not form.fits(tensor):
            held, forms = f"{name} {tensor.shape} of {tensor.dtype}", tuple(one.described for one in self._forms.values())
            detail = f"{self.info.title} takes 1 to {MOST_VOICE_FRAMES} frames"
            raise EmbeddingUnusable(sentence="tensor_misfit", detail=detail, held=held, forms=forms)
        with np.errstate(over="ignore"):  # what float32 makes infinity of is looked for next
            tensor = tensor if form.is_codes else tensor.astype(np.float32)
        if not form.holds(tensor):
            raise _unsound(form)
        tensor = tensor.astype(np.int16) if form.is_codes else tensor
        return self.make_prompt(adopted_digest(name, tensor), {name: tensor})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        pieces, told = text_pieces(text), ENDED
        if not pieces:
            raise TextUnspeakable(sentence="text_missing")
        for index, piece in enumerate(pieces):
            stream_start, schedule = self._beginning(piece, prompt, options, index)
            guard = RunawayGuard(self.info.sample_rate, self._frames_per_second) if options["runaway_guard"] else None
            end = yield from speak(self._batched_decoder, stream_start, schedule, guard)
            told = end if told.reason == ENDED.reason else told
        return told

    def warmup(self) -> None:
        super().warmup()
        if self._networks.encoder is not None:  # so that nobody's first recording loads its kernels
            rate = self.info.sample_rate
            codes_of(Clip(np.zeros(rate, np.float32), rate), self._networks.encoder, self._networks.config.codec, self._networks.device)

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Keep keys and values of the voice."""
        self.check_prompt(prompt)
        self._prefix(prompt)

    def check_clip(self, clip: Clip) -> None:
        """Raises ClipsUnsupported where the checkpoint has nothing that learns a voice, and what a clip may be refused for."""
        if not self.info.clones_clips:
            raise ClipsUnsupported(detail="these weights come without the part that learns a voice", engine=self.info.title)
        super().check_clip(clip)

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        if not self._holds_voice(prompt):
            raise unreadable(prompt)

    # --- private

    def _holds_voice(self, prompt: SpeakerPrompt) -> bool:
        if len(prompt.tensors) != 1:
            return False
        name, tensor = next(iter(prompt.tensors.items()))
        if name not in self._forms or tensor.dtype != (np.int16 if self._forms[name].is_codes else np.float32):
            return False
        return self._forms[name].fits(tensor) and self._forms[name].holds(tensor)

    def _attentions(self) -> Iterator[tuple[AttentionConfig, torch.dtype]]:
        networks = self._networks
        yield networks.backbone.decoder.config.attention, networks.dtype
        yield networks.flow.decoder.config.attention, networks.dtype
        yield networks.config.codec.attention(), torch.float32

    @torch.inference_mode()
    def _beginning(
        self, piece: str, prompt: SpeakerPrompt, options: Mapping[str, Value], index: int
    ) -> tuple[VoxtralStart, ChunkSchedule]:  # fmt: skip
        """Everything that is decided before the first frame of a piece. Raises TextUnspeakable."""
        params = FlowParams((int_option(options, "seed") + index) % 2**63, float_option(options, "cfg_alpha"))
        codec = self._networks.decoder.initial_state(1)
        stream_start = VoxtralStart(prefix=self._prefix(prompt), rows=self._rows.text(piece), codec=codec, params=params)
        most_positions = min(VoxtralRows.MOST_POSITIONS, self._networks.config.max_seq_len)
        if stream_start.n_rows >= most_positions // 2:
            n, most = stream_start.n_rows, most_positions // 2
            raise TextUnspeakable(sentence="text_too_long_at_once", n=n, most=most, engine=self.info.title)
        limit = frame_limit(
            piece,
            frames_per_second=self._frames_per_second,
            asked=int_option(options, "max_new_tokens"),
            room=most_positions - stream_start.n_rows,
            heeds_text=bool_option(options, "runaway_guard"),
        )
        return stream_start, ChunkSchedule(
            int_option(options, "initial_codec_chunk_frames"), int_option(options, "codec_chunk_frames"), limit
        )

    def _prefix(self, prompt: SpeakerPrompt) -> KeyPrefix:
        return self._prepared.get(prompt.content_digest, "prefix", lambda: self._read_prefix(prompt))

    @torch.inference_mode()
    def _read_prefix(self, prompt: SpeakerPrompt) -> KeyPrefix:
        self.counts.prefix_reads += 1
        backbone, device = self._networks.backbone, self._networks.device
        if CODES in prompt.tensors:
            codes = torch.tensor(prompt.tensors[CODES].T, dtype=torch.int64, device=device)
            rows = backbone.embed_clip(codes[None])
        else:
            rows = torch.tensor(prompt.tensors[EMBEDDINGS], device=device).to(backbone.dtype)[None]
        return VoxtralRows.of(self._batched_decoder).read_prefix(self._rows.voice(rows))


def _unsound(form: PromptForm) -> EmbeddingUnusable:
    if not form.is_codes:
        return EmbeddingUnusable(sentence="embedding_not_finite", detail=f"some are not finite, or beyond {MOST_VALUE:.0f}")
    return EmbeddingUnusable(sentence="tensor_codes_beyond")


# --- a recording


@torch.inference_mode()
def codes_of(clip: Clip, encoder: VoxtralCodecEncoder, config: VoxtralCodecConfig, device: torch.device) -> np.ndarray:
    """(Q, F) int16, a frame per 80 ms, a last part counted whole, at most MOST_VOICE_FRAMES; encoder is on the device.

    Upstream computes it under bfloat16, since its attention on a GPU takes nothing wider (_tokenize_audio of vllm-omni 0.30.0). Here it
    is float32 everywhere, so that a voice is the same on every machine.
    """
    with ieee_float32():
        samples = torch.tensor(resample(clip.samples, clip.sample_rate, config.sampling_rate))
        samples = torch.nn.functional.pad(samples, (0, -len(samples) % config.pretransform_patch_size))
        codes = encoder.encode(samples[None].to(device))
    codes = codes[0, :, :MOST_VOICE_FRAMES]  # resampling 30 s of 44.1 kHz gives a sample more than 30 s, and it a frame
    return codes.to(torch.int16).cpu().numpy()
