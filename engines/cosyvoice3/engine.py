"""CosyVoice3Engine: the Engine contract on top of the networks. What a prompt holds, how a text is spoken and a recording said again, what
is kept.
"""

from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip, Transcript
from engines.clips.transcript import check_words
from engines.contract.contract import YIELD_POINT, EngineInfo
from engines.contract.options import Value, bool_option, float_option, int_option, text_option
from engines.contract.prompt import SpeakerPrompt, unreadable
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.cosyvoice3.batched_decoders import BatchedSpeechDecoders
from engines.cosyvoice3.flow.flow_memory import SavedFlow
from engines.cosyvoice3.flow.mel_stream import MelStream, MelVoice
from engines.cosyvoice3.networks import CosyVoice3Networks
from engines.cosyvoice3.reference.reference_encoder import read_recording, speech_tokens_of
from engines.cosyvoice3.speech_tokens.batched_token_decoder import TokenRows, TokenSampling, TokenStart
from engines.cosyvoice3.speech_tokens.spoken_tokens import SpokenTokens
from engines.cosyvoice3.speech_tokens.token_limits import TOKENS_PER_SECOND, token_limits
from engines.cosyvoice3.text.input_text import input_text
from engines.cosyvoice3.text.text_pieces import text_pieces
from engines.kit.decode.batched_engine import BatchedEngine
from engines.kit.decode.cuda_graphs import HostCopy
from engines.kit.decode.frame_limit import FrameLimit
from engines.kit.decode.frame_loop import have_frame
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.decode.overflow_watch import Float16Overflow
from engines.kit.decode.prepared_states import PreparedStates
from engines.kit.decode.row_stream import RowStream
from engines.kit.decode.runaway import SILENCE_SECONDS, RunawayGuard
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.key_prefix import KeyPrefix

__all__ = ["CosyVoice3Counts", "CosyVoice3Engine"]

TOKENS, MEL, X_VECTOR = "speech_token", "speech_feat", "spk_embedding"  # (n,) int16; (2 n, 80), (192,) float32
FIRST_TOKENS = 10  # of a text, heard first: 0.3 s, less what the vocoder looks ahead
MOST_DROPPED = 1 / 3  # of a voice's tokens
# Of the positions of a prompt, the most that words may take: those of 30 s are some 150 tokens in English, and 400 in Korean.
WORDS_SHARE = 1 / 2
GIGABYTE = 10**9
MOST_LOG_MEL = 100.0  # of a prompt: natural logarithms of what FLOW_MEL measures are between -11.6 and 10
TOKENIZER_HZ = 16_000
MOST_UNHEARD = int(SILENCE_SECONDS * TOKENS_PER_SECOND)  # tokens of silence: the flow is given the first few, so that nobody hears it
VOICE, READ = "voice", "read"  # what is kept of a prompt


@dataclass
class CosyVoice3Counts:
    """How often the engine did what a prepared voice spares it. For tests and figures."""

    encoder_runs: int = 0
    voice_reads: int = 0


class CosyVoice3Engine(BatchedEngine[CosyVoice3Networks, BatchedSpeechDecoders]):
    """One checkpoint on one device. Made by `engines.cosyvoice3.open`.

    A prompt holds speech tokens, mel frames and speaker vector of the clip; its words are read with a text, so that they can be corrected
    without hearing the clip again. Extraction is float32 everywhere (`numeric_mode` "fp32"), TF32 off. The language model computes in the
    dtype that the engine was opened with, flow and vocoder in float32, attention of the flow in that dtype again.
    """

    PREPARED_MOST_BYTES = 64 * 1024 * 1024  # of voices as the flow reads them: 10 s take 160 kB

    def __init__(
        self,
        info: EngineInfo,
        networks: CosyVoice3Networks,
        *,
        pin_prompt: int = 2,
        gpu: GpuUse = GpuUse(),
        width: int = 0,
        flow_rows: int = 0,
    ):
        packed = networks.model, networks.flow
        decoder_of = lambda graphs, shapes: BatchedSpeechDecoders(networks, graphs, flow_rows=flow_rows, **shapes)  # noqa: E731
        super().__init__(info, networks, decoder_of, packed=packed, gpu=gpu, width=width)
        self.width = min(self.width, self._batched_decoder.mel.width)  # more would have their memories carried to and fro
        self.counts = CosyVoice3Counts()
        self._pinned = PreparedStates(pin_prompt * GIGABYTE)

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        self._words(transcript)
        self.counts.encoder_runs += 1
        heard = read_recording(clip, self._networks.speech_tokenizer, self._networks.speaker_encoder)
        tensors = {TOKENS: heard.tokens, MEL: heard.mel, X_VECTOR: heard.x_vector}
        facts = {"seconds": round(clip.seconds, 3), "tokens": len(heard.tokens)}
        return self.make_prompt(clip.digest, tensors, transcript, facts)

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        tokenizer = self._networks.tokenizer
        pieces = text_pieces(text, lambda part: len(tokenizer.ids(part)), numbers_as_words=bool_option(options, "normalize"))
        told = ENDED
        mel = self._batched_decoder.mel.begin(self._voice(prompt))
        try:
            for index, piece in enumerate(pieces):
                stream_start, limit = self._beginning(piece, prompt, options, index)
                yield from self._be_in_voice(mel, prompt, is_first=index == 0)
                end = yield from self._speak(mel, stream_start, limit, self._guard(options))
                told = end if told.reason == ENDED.reason else told
        finally:
            self._batched_decoder.mel.release(mel)
        return told

    def convert(self, clip: Clip, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        self.check_source(clip)
        tokens = speech_tokens_of(clip, self._networks.speech_tokenizer)
        yield YIELD_POINT
        mel = self._batched_decoder.mel.begin(self._voice(prompt))
        try:
            yield from self._be_in_voice(mel, prompt, is_first=True)
            mel.give(tokens.tolist(), is_all=True)
            while mel.n_made < len(mel.tokens):
                sound = yield from self._batched_decoder.mel.make(mel)
                yield self._checked(HostCopy(sound))
        finally:
            self._batched_decoder.mel.release(mel)
        return ENDED

    def warmup(self) -> None:
        super().warmup()
        silence = Clip(np.zeros(TOKENIZER_HZ, np.float32), TOKENIZER_HZ)  # so that nobody's first recording loads the networks' kernels
        read_recording(silence, self._networks.speech_tokenizer, self._networks.speaker_encoder)

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Keep the voice as the flow reads it; on a GPU, with `pin_prompt`, also what it makes of it. On a CPU the first text does that,
        which can be stopped.
        """
        self.check_prompt(prompt)
        voice = self._voice(prompt)
        if not self._is_gpu or not self._pins(voice) or self._pinned.known(prompt.content_digest, VOICE) is not None:
            return
        mel = self._batched_decoder.mel.begin(voice)
        try:
            deque(self._be_in_voice(mel, prompt, is_first=True), maxlen=0)
        finally:
            self._batched_decoder.mel.release(mel)

    def forget(self, content_digest: str) -> None:
        super().forget(content_digest)
        self._pinned.forget(content_digest)

    def memory_bytes(self) -> int:
        return super().memory_bytes() + self._pinned.bytes

    def close(self) -> None:
        self._pinned.clear()
        super().close()

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        if not self._is_whole(prompt):
            raise unreadable(prompt)

    # --- private

    def _is_whole(self, prompt: SpeakerPrompt) -> bool:
        config, tensors = self._networks.config.flow, prompt.tensors
        tokens, mel, x_vector = (tensors.get(name) for name in (TOKENS, MEL, X_VECTOR))
        if tokens is None or tokens.dtype != np.int16 or tokens.ndim != 1 or not len(tokens):
            return False
        if len(tokens) > self.info.most_clip_seconds * TOKENS_PER_SECOND or tokens.min() < 0 or tokens.max() >= config.vocab_size:
            return False
        shapes = ((mel, (len(tokens) * config.token_mel_ratio, config.mel_dim)), (x_vector, (config.spk_embed_dim,)))
        if any(one is None or one.dtype != np.float32 or one.shape != shape or not np.isfinite(one).all() for one, shape in shapes):
            return False
        return mel is not None and bool(
            np.abs(mel).max() <= MOST_LOG_MEL
        )  # beyond it the flow overflows, and what is not finite stays in a row's memory

    def _attentions(self) -> Iterator[tuple[AttentionConfig, torch.dtype]]:
        yield self._networks.model.decoder.config.attention, self._networks.dtype

    def _words(self, transcript: Transcript | None) -> str | None:
        """Raises TranscriptMismatch for words that no recording of such a length can have."""
        if transcript is None or not transcript.text.strip():
            return None
        check_words([transcript.text], self._networks.tokenizer.ids, int(WORDS_SHARE * TokenRows.PROMPT_KEYS))
        return transcript.text

    def _guard(self, options: Mapping[str, Value]) -> RunawayGuard | None:
        return RunawayGuard(self.info.sample_rate, TOKENS_PER_SECOND) if options["runaway_guard"] else None

    def _voice(self, prompt: SpeakerPrompt) -> MelVoice:
        return self._prepared.get(prompt.content_digest, VOICE, lambda: self._laid_out(prompt))

    @torch.inference_mode()
    def _laid_out(self, prompt: SpeakerPrompt) -> MelVoice:
        """Without its first tokens, as many as it takes for FIRST_TOKENS to follow to the end of a chunk: the flow is exact by chunks.

        A short recording, which would lose more than MOST_DROPPED of itself, is left whole, and what is heard first waits for more tokens.
        """
        config, tokens, device = self._networks.config.flow, prompt.tensors[TOKENS].tolist(), self._networks.device
        rest = config.chunk_tokens - min(FIRST_TOKENS, config.chunk_tokens)
        n_dropped = (len(tokens) - rest) % config.chunk_tokens
        n_dropped = n_dropped if n_dropped <= MOST_DROPPED * len(tokens) else 0
        tokens = tokens[n_dropped:]
        mel = torch.tensor(prompt.tensors[MEL][n_dropped * config.token_mel_ratio :], device=device)
        x_vector = torch.tensor(prompt.tensors[X_VECTOR], device=device)
        speaker = self._networks.flow.speaker_rows(x_vector[None])
        n_known = max(0, len(tokens) - config.pre_lookahead_len)  # whose frames depend on no token that is not there yet
        return MelVoice(tuple(tokens), mel[None], speaker, n_known - n_known % config.chunk_tokens)

    def _be_in_voice(self, mel: MelStream, prompt: SpeakerPrompt, *, is_first: bool) -> Iterator[np.ndarray]:
        """Have the flow know the voice, and nothing that was said in it. Yields points."""
        batched_decoder = self._batched_decoder.mel
        if not is_first:
            batched_decoder.restart(mel)
            return
        pinned = self._pinned.known(prompt.content_digest, VOICE)
        if isinstance(pinned, SavedFlow):
            batched_decoder.restore_voice(mel, pinned)
            return
        self.counts.voice_reads += 1
        yield from batched_decoder.read_voice(mel)
        if self._pins(mel.voice):
            self._pinned.get(prompt.content_digest, VOICE, lambda: batched_decoder.saved_voice(mel))

    def _pins(self, voice: MelVoice) -> bool:
        return 0 < self._batched_decoder.mel.voice_bytes(voice) <= self._pinned.most_bytes

    @torch.inference_mode()
    def _beginning(self, piece: str, prompt: SpeakerPrompt, options: Mapping[str, Value], index: int) -> tuple[TokenStart, FrameLimit]:
        """Everything that is decided before the first token of a piece. Raises TextUnspeakable, TranscriptRequired, OptionInvalid."""
        networks = self._networks
        manner = input_text(
            networks.tokenizer,
            piece,
            mode=text_option(options, "mode"),
            instructions=text_option(options, "instructions"),
            words=self._words(prompt.transcript),
        )
        speech = prompt.tensors[TOKENS] if manner.reads_speech else prompt.tensors[TOKENS][:0]
        prefix = self._prepared.get(prompt.content_digest, (READ, manner.voice_ids), lambda: self._read(manner.voice_ids))
        rows = networks.model.text_rows(self._tensor(manner.text_ids), self._tensor(speech.tolist()))
        room = min(TokenRows.MOST_POSITIONS - prefix.n_rows - rows.shape[1], self._batched_decoder.mel.room(self._voice(prompt)))
        heeds_text = bool_option(options, "runaway_guard")
        least, limit = token_limits(len(manner.text_ids), piece, asked=int_option(options, "max_tokens"), room=room, heeds_text=heeds_text)
        drawing = float_option(options, "temperature"), int_option(options, "top_k"), float_option(options, "top_p")
        sampling = TokenSampling((int_option(options, "seed") + index) % 2**63, *drawing, least)
        return TokenStart(prefix=prefix, rows=rows, sampling=sampling), limit

    def _read(self, voice_ids: tuple[int, ...]) -> KeyPrefix:
        return TokenRows.of(self._batched_decoder.tokens).read_prefix(self._networks.model.voice_rows(self._tensor(voice_ids)))

    def _tensor(self, ids: Sequence[int]) -> Tensor:
        return torch.tensor(ids, dtype=torch.int64, device=self._networks.device)

    def _speak(
        self, mel: MelStream, stream_start: TokenStart, limit: FrameLimit, guard: RunawayGuard | None
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        """One piece of a text, from its first token to its last sample."""
        stream, heard = self._batched_decoder.tokens.begin(stream_start, limit.frames), SpokenTokens()
        try:
            while not (mel.has_all and mel.n_made == len(mel.tokens)):
                tokens = yield from self._say(stream, mel, heard, None if guard is None else MOST_UNHEARD)
                sound = yield from self._batched_decoder.mel.make(mel)
                samples, runaway = self._checked(HostCopy(sound)), None
                if guard is not None:
                    samples, runaway = guard.heed(samples, tokens)
                yield samples
                if runaway is not None:
                    return runaway
            if guard is not None and heard.n_silent > MOST_UNHEARD and stream.end is None:
                return SpeechEnd.silent(SILENCE_SECONDS)
            return limit.cut if stream.end is None else ENDED
        finally:
            self._batched_decoder.tokens.release(stream)

    def _checked(self, sound: HostCopy) -> np.ndarray:
        """Raises Float16Overflow for sound that is none: keys of the flow went beyond what it remembers them in."""
        samples = sound.wait().numpy()
        if self._networks.dtype == torch.float16 and not np.isfinite(samples).all():
            raise Float16Overflow(self._batched_decoder.watch.setting)
        return samples

    def _say(
        self, stream: RowStream, mel: MelStream, heard: SpokenTokens, most_silent: int | None
    ) -> Generator[np.ndarray, None, np.ndarray]:  # fmt: skip
        """Tokens until the next chunk can be made, or all: given to the flow, and returned, (F, 1). most_silent: in a row, the last."""
        batched_decoder, said = self._batched_decoder.tokens, []
        while n_missing := self._batched_decoder.mel.n_missing(mel):
            first = stream.n_frames
            while stream.n_frames < first + n_missing and not stream.over:
                batched_decoder.want(stream)
                yield YIELD_POINT
                have_frame(batched_decoder, stream)
            batched_decoder.check(batched_decoder.overflow_of(stream))
            stream.look(stream.n_frames - 1)
            last = stream.n_frames if stream.end is None else min(stream.n_frames, stream.end)
            codes = batched_decoder.codes_of(stream, first, last - first) if last > first else None
            drawn = [] if codes is None else HostCopy(codes).wait()[0, 0].tolist()
            mel.give(heard.push(drawn), is_all=stream.over or (most_silent is not None and heard.n_silent > most_silent))
            said += drawn
        return np.array(said, np.int64)[:, None]
