"""Qwen3TtsEngine: the Engine contract on top of the networks. What a prompt holds, which mode speaks it, what is kept on the device.

Reference encoder: a clip at 24 kHz, with the silence behind it that was asked for, becomes codes and an embedding. A built-in speaker is a
row of the talker's table in the embedding's place; a described voice has none there.
On the device it keeps per voice what belongs to a recording, beside keys and values of the rows that every text begins with.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import YIELD_POINT, EngineInfo
from engines.contract.options import Value, bool_option, float_option, int_option, resolve_options, text_option
from engines.contract.prompt import SpeakerPrompt, embedding_digest, preset_digest, unreadable
from engines.contract.speech_end import SpeechEnd
from engines.contract.text_feed import TextFeed
from engines.errors import EmbeddingUnusable, LanguageUnsupported, TextUnspeakable
from engines.kit.codec.mel import LogMel
from engines.kit.codec.resampling import resample
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.batched_engine import BatchedEngine
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.frame_limit import FrameLimit, frame_limit
from engines.kit.decode.frame_loop import speak
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.decode.runaway import RunawayGuard
from engines.kit.decode.text_along import TextAlong
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.nn.key_prefix import KeyPrefix
from engines.qwen3_tts.batched_decoder import FrameSlot, FrameStart, QwenRows, SamplingParams, check_rows, check_text_rows
from engines.qwen3_tts.codec_decoder import CodecState
from engines.qwen3_tts.input_sequence import Reference
from engines.qwen3_tts.networks import Learners, Networks
from engines.qwen3_tts.options import AUTO, CHINESE, DESIGN, INSTRUCTIONS, language_names, narrowed

__all__ = ["Counts", "Qwen3TtsEngine", "ReferenceState", "codes_of", "embedding_of", "samples_of"]


@dataclass(frozen=True)
class ReferenceState:
    """What follows from a recording's codes: their rows (1, F + 1, H), and the codec decoder as it stands after them."""

    code_rows: Tensor
    codec: CodecState

    @property
    def bytes(self) -> int:
        return self.code_rows.nbytes + self.codec.n_bytes


# Tensors of a prompt: (F, 16) int16, absent where there was no clip; (H,) float32, of a described voice (0,); () int32, a codec id of a
# language, of speakers that have a dialect.
CODES, EMBEDDING, DIALECT = "codes", "speaker_embedding", "dialect"
DEFAULT_FIRST_FRAMES = 1
REHEARSED_FRAMES = 4


@dataclass
class Counts:
    """How often the engine did what a prepared voice spares it. For tests and figures."""

    encoder_runs: int = 0
    reference_decodes: int = 0
    prefix_reads: int = 0


@dataclass(frozen=True)
class _PromptMode:
    """How a prompt is read as rows. in_context: after the recording, which has words; else by the embedding alone.

    language_id: the codec's, None where the model decides. instruction: how to speak, "" where nobody says.
    """

    in_context: bool
    full_text: bool
    language_id: int | None
    instruction: str = ""


class Qwen3TtsEngine(BatchedEngine[Networks, BatchedDecoder[FrameStart, FrameSlot]]):
    """One checkpoint on one device. Made by `engines.qwen3_tts.open`.

    A prompt holds codes and embedding, whatever the mode; with a transcript it is spoken in context, without one, or on request, by the
    embedding alone, as built-in speakers are. What the checkpoint has decides what it does: learn voices, speak as speakers of its own, or
    in a voice that is described. Extraction is float32 everywhere (`numeric_mode` "fp32"), TF32 off; talker and predictor compute in the
    dtype that the engine was opened with, the codec in float32.
    """

    PREPARED_MOST_BYTES = 512 * 1024 * 1024  # a voice takes 6 to 45 MB: dozens of voices
    ROW_BYTES, MOST_GPU_WIDTH = 257_000_000, 16

    def __init__(
        self,
        info: EngineInfo,
        networks: Networks,
        *,
        trailing_silence_seconds: float = 0.0,
        compiled: bool = False,
        gpu: GpuUse = GpuUse(),
        width: int = 0,
    ):
        # Either fuses operations; torch.compile its own way, which wants plain matrices.
        packed = () if compiled else (networks.talker, networks.predictor)
        decoder_of = lambda graphs, shapes: BatchedDecoder(QwenRows(networks, graphs, gpu.codec_graphs(graphs), **shapes))  # noqa: E731
        super().__init__(info, networks, decoder_of, packed=packed, gpu=replace(gpu, fused=gpu.fused and not compiled), width=width)
        self._compiled, self._trailing_silence_seconds = compiled, trailing_silence_seconds
        self.info = narrowed(info, networks.config, trailing_silence_seconds, learns=networks.learners is not None)
        self._speakers = {speaker.name: speaker for speaker in networks.config.speakers}
        self.counts = Counts()
        self._language_ids = {
            code: networks.config.talker.codec_language_id[name] for code, name in language_names(networks.config).items()
        }  # fmt: skip
        self._frames_per_second = SAMPLE_RATE / networks.codec.frame_samples
        for network in (networks.talker, networks.predictor) if compiled else ():
            network.decoder.compile_layers()

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        samples = samples_of(clip, self._trailing_silence_seconds)
        self.counts.encoder_runs += 1
        tensors = {CODES: codes_of(samples, self._networks), EMBEDDING: embedding_of(samples, self._networks)}
        facts = {"seconds": round(len(samples) / SAMPLE_RATE, 3), "frames": len(tensors[CODES])}
        return self.make_prompt(clip.digest, tensors, transcript, facts)

    def embed(self, embedding: np.ndarray) -> SpeakerPrompt:
        """A prompt that is spoken by the embedding alone. Raises EmbeddingUnusable for another width or non-finite values."""
        if self.info.embedding_size is None:
            return super().embed(embedding)
        values, width = np.asarray(embedding, dtype=np.float32), self.info.embedding_size
        if values.shape != (width,):
            detail = f"{self.info.title} takes the shape ({width},), and theirs is {values.shape}"
            raise EmbeddingUnusable(sentence="embedding_misfit", detail=detail, n=values.size, widths=(width,))
        if not np.isfinite(values).all():
            raise EmbeddingUnusable(sentence="embedding_not_finite")
        return self.make_prompt(embedding_digest(values), {EMBEDDING: values})

    def preset(self, name: str) -> SpeakerPrompt:
        if name not in self.info.presets:
            return super().preset(name)
        if name == DESIGN:
            return self.make_prompt(preset_digest(name), {EMBEDDING: np.zeros(0, np.float32)})
        speaker = self._speakers[name]
        dialect = {} if speaker.dialect is None else {DIALECT: np.array(speaker.dialect, np.int32)}
        row = self._networks.talker.codec_embedding.weight[speaker.row].float().cpu().numpy()
        return self.make_prompt(preset_digest(name), {EMBEDDING: row} | dialect)

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        stream_start = self._beginning(self._networks.tokenizer.body(text), prompt, options)
        return (yield from self._speak(stream_start, self._limit(text, options, stream_start), options))

    def stream_along(self, text: TextFeed, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        """A voice by its embedding speaks from the first word. One in context first reads as many tokens as its recording has frames beyond
        tokens of its own; with `non_streaming_mode` the whole text is read first.
        """
        self.check_prompt(prompt)
        along, mode = TextAlong(text, self._networks.tokenizer), self._mode(prompt, options)
        n_first = inf if mode.full_text else self._networks.rows.n_first(self._reference(prompt, mode))
        while not along.is_over and len(along.ids) < n_first:
            if not along.take() and not along.is_over:
                along.want()
                yield YIELD_POINT
        stream_start = self._beginning(along.ids, prompt, options, along)
        along.limit_of = lambda whole: self._limit(whole, options, stream_start)
        limit = along.limit_of(along.text) if along.is_over else self._limit("", options, stream_start, knows_text=False)
        end = yield from self._speak(stream_start, limit, options)
        return along.limit_of(along.text).cut if end is limit.cut else end

    def warmup(self) -> None:
        if self._compiled:
            self._rehearse()
        super().warmup()

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Keep the recording's rows, the codec's state after it, and the shared keys and values for the mode that is the default."""
        self.check_prompt(prompt)
        mode = self._mode(prompt, resolve_options(self.info.options, {}))
        self._prefix(prompt, self._reference(prompt, mode), mode)

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        embedding, codes = prompt.tensors.get(EMBEDDING), prompt.tensors.get(CODES)
        n_codebooks, n_codes = self._networks.config.talker.num_code_groups, self._networks.config.codec.decoder_config.codebook_size
        widths = ((self._networks.config.talker.hidden_size,), (0,) if prompt.is_preset else None)
        fits = embedding is not None and embedding.shape in widths and embedding.dtype == np.float32
        if codes is not None:
            fits = fits and codes.dtype == np.int16 and codes.ndim == 2 and len(codes) > 0 and codes.shape[1] == n_codebooks
            fits = fits and codes.min() >= 0 and codes.max() < n_codes
        if not fits:
            raise unreadable(prompt)

    # --- private

    def _attentions(self) -> Iterator[tuple[AttentionConfig, torch.dtype]]:
        networks = self._networks
        yield networks.talker.decoder.config.attention, networks.dtype
        yield networks.predictor.decoder.config.attention, networks.dtype
        yield networks.codec.pre_transformer.config.attention, torch.float32

    def _rehearse(self) -> None:
        """Speak a little in made-up voices of two lengths, in both modes, so that all kinds of rows are compiled before anybody waits."""
        options = resolve_options(self.info.options, {"max_new_tokens": REHEARSED_FRAMES + 1})
        n_codebooks = self._networks.config.talker.num_code_groups
        for n_frames, words in ((12, "a voice"), (25, "another voice with more words")):
            tensors = {
                CODES: np.zeros((n_frames, n_codebooks), np.int16),
                EMBEDDING: np.zeros(self._networks.config.talker.hidden_size, np.float32),
            }
            prompt = self.make_prompt(f"rehearsal of {n_frames} frames", tensors, Transcript(words, "en"))
            for by_embedding in (False, True):
                list(self.stream(words, prompt, {**options, "x_vector_only_mode": by_embedding}))
            self.forget(prompt.content_digest)

    @torch.inference_mode()
    def _beginning(
        self, ids: Sequence[int], prompt: SpeakerPrompt, options: Mapping[str, Value], along: TextAlong | None = None
    ) -> FrameStart:
        """Everything that is decided before the first frame. ids: of the text; along: what more is to come of it, if anything.

        Raises TextUnspeakable, LanguageUnsupported.
        """
        if not ids:
            raise TextUnspeakable(sentence="text_missing")
        mode = self._mode(prompt, options)
        reference = self._reference(prompt, mode)
        prefix = self._prefix(prompt, reference, mode)
        along = along if along is not None and not along.is_over else None
        input_text = self._networks.rows.input_text(reference, ids, full_text=mode.full_text, goes_on=along is not None)
        most_rows = QwenRows.MOST_POSITIONS // 2 - 1
        check_rows(prefix.n_rows + input_text.rows.shape[1], most_rows)
        trailing = input_text.trailing if along else torch.cat([input_text.trailing, self._networks.rows.padding], dim=1)
        check_text_rows(trailing.shape[1])
        codec = self._reference_state(prompt).codec if mode.in_context else self._networks.codec.initial_state(1)
        return FrameStart(prefix=prefix, rows=input_text.rows, codec=codec, trailing=trailing, sampling=_sampling(options), along=along)

    def _mode(self, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> _PromptMode:
        """Raises LanguageUnsupported."""
        language = text_option(options, "language")
        if language != AUTO and language not in self._language_ids:
            hint = f"It speaks {', '.join(self._language_ids)}."
            raise LanguageUnsupported(hint=hint, language=language, n=len(self._language_ids), engine=self.info.title)
        language_id = self._language_ids.get(language)
        if DIALECT in prompt.tensors and language in (AUTO, CHINESE):
            language_id = int(prompt.tensors[DIALECT])
        in_context = self._has_context(prompt) and not options.get("x_vector_only_mode", False)
        return _PromptMode(in_context, bool_option(options, "non_streaming_mode"), language_id, str(options.get(INSTRUCTIONS.name, "")))

    def _speak(self, stream_start: FrameStart, limit: FrameLimit, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        schedule = ChunkSchedule(
            first_frames=int_option(options, "initial_codec_chunk_frames") or DEFAULT_FIRST_FRAMES,
            largest_frames=int_option(options, "codec_chunk_frames"),
            limit=limit,
        )
        guard = RunawayGuard(SAMPLE_RATE, self._frames_per_second) if options["runaway_guard"] else None
        return (yield from speak(self._batched_decoder, stream_start, schedule, guard))

    def _limit(self, text: str, options: Mapping[str, Value], stream_start: FrameStart, *, knows_text: bool = True) -> FrameLimit:
        """As many frames as the text may take, were asked for and have room; the last token is drawn and not spoken, as upstream counts."""
        return frame_limit(
            text,
            frames_per_second=self._frames_per_second,
            asked=int_option(options, "max_new_tokens") - 1,
            room=QwenRows.MOST_POSITIONS - stream_start.n_rows,
            heeds_text=knows_text and bool_option(options, "runaway_guard"),
        )

    def _has_context(self, prompt: SpeakerPrompt) -> bool:
        return CODES in prompt.tensors and prompt.transcript is not None and bool(prompt.transcript.text.strip())

    def _reference(self, prompt: SpeakerPrompt, mode: _PromptMode) -> Reference:
        values = prompt.tensors[EMBEDDING]
        embedding = torch.tensor(values, device=self._networks.device) if len(values) else None
        if not mode.in_context or prompt.transcript is None:
            return Reference(embedding)
        words = self._networks.tokenizer.body(prompt.transcript.text)
        return Reference(embedding, self._reference_state(prompt).code_rows, words)

    def _reference_state(self, prompt: SpeakerPrompt) -> ReferenceState:
        return self._prepared.get(prompt.content_digest, "reference", lambda: self._decode_reference(prompt))

    @torch.inference_mode()
    def _decode_reference(self, prompt: SpeakerPrompt) -> ReferenceState:
        self.counts.reference_decodes += 1
        codes = torch.tensor(prompt.tensors[CODES], dtype=torch.int64, device=self._networks.device)
        return ReferenceState(self._networks.rows.code_rows(codes), self._networks.codec.state_after(codes.T[None]))

    def _prefix(self, prompt: SpeakerPrompt, reference: Reference, mode: _PromptMode) -> KeyPrefix:
        words = tuple(reference.text_ids or ())
        return self._prepared.get(prompt.content_digest, ("prefix", mode, words), lambda: self._read_prefix(reference, mode))

    @torch.inference_mode()
    def _read_prefix(self, reference: Reference, mode: _PromptMode) -> KeyPrefix:
        self.counts.prefix_reads += 1
        config, tokenizer = self._networks.config, self._networks.tokenizer
        turn = tokenizer.instruction(mode.instruction, config.im_start_token_id, config.im_end_token_id)
        rows = self._networks.rows.shared(reference, mode.language_id, full_text=mode.full_text, instruction_ids=turn)
        decoder = self._networks.talker.decoder
        cache = decoder.new_cache(1, rows.shape[1])
        decoder.prefill(rows, cache)
        return KeyPrefix(cache.tensor)


def _sampling(options: Mapping[str, Value]) -> SamplingParams:
    return SamplingParams(
        seed=int_option(options, "seed"),
        temperature=float_option(options, "temperature"),
        top_k=int_option(options, "top_k"),
        top_p=float_option(options, "top_p"),
        repetition_penalty=float_option(options, "repetition_penalty"),
        predictor_temperature=float_option(options, "subtalker_temperature"),
        predictor_top_k=int_option(options, "subtalker_top_k"),
        predictor_top_p=float_option(options, "subtalker_top_p"),
    )


# --- a recording


SAMPLE_RATE = 24_000


def samples_of(clip: Clip, trailing_silence_seconds: float = 0.0) -> np.ndarray:
    """(T,) float32 at 24 kHz, resampled as the official package does it."""
    samples = resample(clip.samples, clip.sample_rate, SAMPLE_RATE)
    return np.pad(samples, (0, round(trailing_silence_seconds * SAMPLE_RATE)))


@torch.inference_mode()
def codes_of(samples: np.ndarray, networks: Networks) -> np.ndarray:
    """(T,) float32 at 24 kHz -> (F, 16) int16, one frame per 80 ms, a last part counted whole."""
    with ieee_float32():
        codes = _learners(networks).mimi.encode(torch.from_numpy(samples).to(networks.device)[None, None])
    return codes.to(torch.int16).cpu().numpy()


@torch.inference_mode()
def embedding_of(samples: np.ndarray, networks: Networks) -> np.ndarray:
    """(T,) float32 at 24 kHz -> (H,) float32, the speaker embedding. The spectrogram is taken on the CPU, as upstream takes it."""
    with ieee_float32():
        mel = LogMel()(torch.from_numpy(samples)[None]).to(networks.device)
        return _learners(networks).speaker_encoder(mel)[0].cpu().numpy()


def _learners(networks: Networks) -> Learners:
    assert networks.learners is not None, "check_clip has refused what these weights cannot learn"
    return networks.learners
