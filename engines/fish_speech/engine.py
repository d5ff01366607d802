"""FishSpeechEngine: the Engine contract on top of the networks. What a prompt holds, how a text is spoken in pieces, what is kept on the
device.

Reference encoder: recordings at the codec's rate become codes. Silence completes each to whole frames; float32 encodes them.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript
from engines.clips.transcript import check_words, wanted_words
from engines.contract.contract import EngineInfo
from engines.contract.options import Value, bool_option, float_option, int_option, text_option
from engines.contract.prompt import SpeakerPrompt, preset_digest, unreadable
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import OptionInvalid, TextUnspeakable
from engines.fish_speech.batched_decoder import FishRows, FishSampling, FishStart
from engines.fish_speech.heard_codes import HeardCodes
from engines.fish_speech.input_sequence import FishInputSequence, SpokenPiece
from engines.fish_speech.networks import FishNetworks
from engines.fish_speech.text_pieces import text_pieces
from engines.kit.codec.sinc_resampling import sinc_resample
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

__all__ = ["FishCounts", "FishSpeechEngine", "codes_of"]

# Tensors of a prompt: (Q, F) int16, the codes of all recordings side by side; (n,) int64, frames of each. Of any voice none of either.
CODES, FRAMES = "codes", "frames"
WORDS_SHARE = 1 / 4  # of all positions, the most that words may take: those of 30 s are some 150 tokens, and the text needs room as well


@dataclass
class FishCounts:
    """How often the engine did what a prepared voice spares it. For tests and figures."""

    encoder_runs: int = 0
    prefix_reads: int = 0


class FishSpeechEngine(BatchedEngine[FishNetworks, BatchedDecoder[FishStart, RowStream]]):
    """One checkpoint on one device. Made by `engines.fish_speech.open`.

    A prompt holds the codes of up to most_recordings recordings; their words are read with them, so that they can be corrected without
    encoding anything again. Extraction is float32 everywhere (`numeric_mode` "fp32"), TF32 off; slow and fast transformer compute in the
    dtype that the engine was opened with, the codec in float32.
    """

    PREPARED_MOST_BYTES = 1024 * 1024 * 1024  # a voice of 10 s takes 41 MB in bfloat16: two dozen of them
    ROW_BYTES, MOST_GPU_WIDTH = 311_000_000, 16

    def __init__(self, info: EngineInfo, networks: FishNetworks, *, codes_in_marks: bool = False, gpu: GpuUse = GpuUse(), width: int = 0):
        decoder_of = lambda graphs, shapes: BatchedDecoder(FishRows(networks, graphs, gpu.codec_graphs(graphs), **shapes))  # noqa: E731
        super().__init__(info, networks, decoder_of, packed=(networks.slow, networks.fast, networks.decoder), gpu=gpu, width=width)
        self.counts = FishCounts()
        self._rows = FishInputSequence(networks.slow, networks.tokenizer, codes_in_marks=codes_in_marks)
        self._frames_per_second = networks.codec_config.sample_rate / networks.codec_config.frame_samples

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        recordings = clip.recordings()
        self._check_words(self._words(transcript, len(recordings)))
        self.counts.encoder_runs += 1
        codes = [codes_of(recording, self._networks) for recording in recordings]
        frames = np.array([one.shape[1] for one in codes], np.int64)
        tensors = {CODES: np.concatenate(codes, axis=1), FRAMES: frames}
        facts = {"seconds": round(clip.seconds, 3), "recordings": len(recordings), "frames": int(frames.sum())}
        return self.make_prompt(clip.digest, tensors, transcript, facts)

    def preset(self, name: str) -> SpeakerPrompt:
        if name not in self.info.presets:
            return super().preset(name)
        nobody = np.zeros((self._networks.slow.n_codebooks, 0), np.int16)
        return self.make_prompt(preset_digest(name), {CODES: nobody, FRAMES: np.zeros(0, np.int64)})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        pieces = text_pieces(text)
        if not pieces:
            raise TextUnspeakable(sentence="text_missing")
        direction, before, told = self._direction(text_option(options, "instructions")), None, ENDED
        for index, piece in enumerate(direction + piece for piece in pieces):
            stream_start, schedule = self._beginning(piece, prompt, options, before, index)
            heard = HeardCodes(self._guard(options))
            end = yield from speak(self._batched_decoder, stream_start, schedule, heard)
            told = end if told.reason == ENDED.reason else told
            if self._goes_on(prompt, options, before) and (codes := heard.codes) is not None:
                before = SpokenPiece(piece, torch.tensor(codes, dtype=torch.int64, device=self._networks.device))
        return told

    def warmup(self) -> None:
        super().warmup()
        rate = self._networks.codec_config.sample_rate
        codes_of(Clip(np.zeros(rate, np.float32), rate), self._networks)  # so that nobody's first recording loads the encoder's kernels

    def prepare(self, prompt: SpeakerPrompt) -> None:
        """Keep keys and values of the voice and its words."""
        self.check_prompt(prompt)
        self._prefix(prompt)

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        if not self._holds_codes(prompt):
            raise unreadable(prompt)

    # --- private

    @property
    def _most_positions(self) -> int:
        """Of a stream, prompt and speech together."""
        return min(FishRows.MOST_POSITIONS, self._networks.config.text_config.max_seq_len)

    def _holds_codes(self, prompt: SpeakerPrompt) -> bool:
        """Of as many recordings, and frames, as a clip may have; of none where it is a preset's, and there alone."""
        codes, frames, books = prompt.tensors.get(CODES), prompt.tensors.get(FRAMES), self._networks.codec_config.codebook_sizes
        if codes is None or codes.dtype != np.int16 or codes.ndim != 2 or len(codes) != len(books):
            return False
        if frames is None or frames.dtype != np.int64 or frames.ndim != 1 or len(frames) > self.info.most_recordings:
            return False
        most_frames = int(self.info.most_clip_seconds * self._frames_per_second) + self.info.most_recordings  # the last of each is begun
        if codes.shape[1] > most_frames or (len(frames) == 0) != prompt.is_preset:
            return False
        fits = ((codes >= 0) & (codes < np.array(books)[:, None])).all() and ((frames > 0) & (frames <= most_frames)).all()
        return bool(fits) and int(frames.sum()) == codes.shape[1]

    def _attentions(self) -> Iterator[tuple[AttentionConfig, torch.dtype]]:
        networks = self._networks
        yield networks.slow.decoder.config.attention, networks.dtype
        yield networks.fast.decoder.config.attention, networks.dtype
        yield networks.decoder.quantizer.post_module.config.attention, torch.float32

    def _guard(self, options: Mapping[str, Value]) -> RunawayGuard | None:
        return RunawayGuard(self.info.sample_rate, self._frames_per_second) if options["runaway_guard"] else None

    def _direction(self, instructions: str) -> str:
        """The mark that goes before each piece and says how to speak; "" for none. Raises OptionInvalid for a control token."""
        said = " ".join(instructions.replace("[", " ").replace("]", " ").split())
        try:
            self._networks.tokenizer.ids(said)
        except TextUnspeakable as error:
            token = str(error.values["token"])
            hint = "Take it out of the instructions."
            raise OptionInvalid("instructions", sentence="text_with_control_token", hint=hint, token=token) from error
        return f"[{said}] " if said else ""

    def _goes_on(self, prompt: SpeakerPrompt, options: Mapping[str, Value], before: SpokenPiece | None) -> bool:
        """Whether what follows a piece is read behind it. Of any voice the first piece that was heard is whom the others sound like."""
        return before is None if not len(prompt.tensors[FRAMES]) else int_option(options, "context_pieces") > 0

    @torch.inference_mode()
    def _beginning(
        self, piece: str, prompt: SpeakerPrompt, options: Mapping[str, Value], before: SpokenPiece | None, index: int
    ) -> tuple[FishStart, ChunkSchedule]:  # fmt: skip
        """Everything that is decided before the first frame of a piece. Raises TextUnspeakable, TranscriptRequired, TranscriptMismatch."""
        sampling = FishSampling(
            (int_option(options, "seed") + index) % 2**63,
            float_option(options, "temperature"),
            int_option(options, "top_k"),
            float_option(options, "top_p"),
        )
        codec = self._networks.decoder.initial_state(1)
        stream_start = FishStart(prefix=self._prefix(prompt), rows=self._rows.text(piece, before), codec=codec, sampling=sampling)
        most_rows = self._most_positions // 2
        if stream_start.n_rows >= most_rows:
            title = self.info.title
            raise TextUnspeakable(sentence="text_too_long_at_once", engine=title, n=stream_start.n_rows, most=most_rows)
        limit = frame_limit(
            piece,
            frames_per_second=self._frames_per_second,
            asked=int_option(options, "max_new_tokens") - 1,  # the last token is drawn and not spoken, as upstream counts
            room=self._most_positions - stream_start.n_rows,
            heeds_text=bool_option(options, "runaway_guard"),
        )
        return stream_start, ChunkSchedule(
            int_option(options, "initial_codec_chunk_frames"), int_option(options, "codec_chunk_frames"), limit
        )

    def _prefix(self, prompt: SpeakerPrompt) -> KeyPrefix:
        n_recordings = len(prompt.tensors[FRAMES])
        words = self._words(prompt.transcript, n_recordings) if n_recordings else ()
        return self._prepared.get(prompt.content_digest, ("prefix", words), lambda: self._read_prefix(prompt, words))

    def _words(self, transcript: Transcript | None, n_recordings: int) -> tuple[str, ...]:
        """Of each recording. Raises TranscriptRequired, and TranscriptMismatch where they are of other recordings."""
        return wanted_words(transcript, self.info.title).lines(n_recordings)

    def _check_words(self, words: tuple[str, ...]) -> None:
        """Raises TranscriptMismatch. A voice that is kept has been read already."""
        check_words(words, self._networks.tokenizer.ids, int(WORDS_SHARE * self._most_positions))

    @torch.inference_mode()
    def _read_prefix(self, prompt: SpeakerPrompt, words: tuple[str, ...]) -> KeyPrefix:
        self._check_words(words)
        self.counts.prefix_reads += 1
        codes = torch.tensor(prompt.tensors[CODES].T, dtype=torch.int64, device=self._networks.device)
        return FishRows.of(self._batched_decoder).read_prefix(self._rows.voice(words, codes))


# --- a recording


@torch.inference_mode()
def codes_of(recording: Clip, networks: FishNetworks) -> np.ndarray:
    """(Q, F) int16, a frame per 46.4 ms, a last part counted whole."""
    with ieee_float32():
        samples = sinc_resample(recording.samples, recording.sample_rate, networks.codec_config.sample_rate)
        samples = torch.nn.functional.pad(samples, (0, -len(samples) % networks.codec_config.frame_samples))
        codes = networks.encoder.encode(samples[None].to(networks.device))
    return codes[0].to(torch.int16).cpu().numpy()
