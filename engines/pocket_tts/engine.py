"""PocketEngine: the Engine contract on top of the networks. What a prompt holds, how a text becomes pieces, what is kept per voice."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine, EngineInfo
from engines.contract.options import Value, bool_option, int_option
from engines.contract.prompt import SpeakerPrompt, preset_digest, unreadable
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import CheckpointInvalid, ClipsUnsupported
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.frame_limit import frame_limit
from engines.kit.decode.frame_loop import have_frame, speak
from engines.kit.decode.prepared_states import PreparedStates
from engines.kit.decode.runaway import RunawayGuard
from engines.kit.nn.key_prefix import KeyPrefix
from engines.pocket_tts.batched_decoder import LatentParams, LatentRows, LatentStart
from engines.pocket_tts.config import FRAME_SAMPLES
from engines.pocket_tts.networks import PocketNetworks
from engines.pocket_tts.preset_state import MOST_POSITIONS, read_preset
from engines.pocket_tts.reference_encoder import latents_of
from engines.pocket_tts.speech_keys import SpeechKeys
from engines.pocket_tts.text_pieces import TextPiece, text_pieces

__all__ = ["PocketCounts", "PocketEngine"]

# The one tensor of a prompt: (F, inner_dim) float32 as the encoder gives it; of a built-in voice its keys and values, (layers, 2, kv heads,
# T, head_dim) float32, which is all that is public of it.
LATENTS, KEYS_VALUES = "latents", "keys_values"
AGAIN = "Fetch the weights again."
VOICE = "voice"  # the part of a prompt's prepared state
MOST_ROWS = 4096  # of voice, text and speech: the makers' own caches are as long as is needed, and 50 tokens never need so many
SECONDS_PER_TOKEN, SECONDS_BEYOND = 1 / 3, 2.0  # upstream: _TOKENS_PER_SECOND_ESTIMATE, _GEN_SECONDS_PADDING
NOISE_PER_PIECE = 2**20  # frames of noise between two pieces, above every piece's number of frames
CPU_WIDTH = 4  # streams that one step serves: rows of four are multiplied in about the time of one
MOST_WARM_ROWS = 8  # of a warm-up
PRESET_DIGITS = 16  # of the digest of the weights that a built-in voice belongs to


@dataclass
class PocketCounts:
    """How often the engine did what a prepared voice spares it. For tests and figures."""

    encoder_runs: int = 0
    voice_reads: int = 0


class PocketEngine(Engine):
    """One checkpoint on a CPU. Made by `engines.pocket_tts.open`.

    Extraction is float32 (`numeric_mode` "fp32"); the language model's layers compute in float32 or in 8 bits, all else in float32.
    """

    PREPARED_MOST_BYTES = 256 * 1024 * 1024  # a voice of 10 s takes 0.5 MB (2M) to 25 MB (24 layers), 6.2 MB with 100M

    def __init__(self, info: EngineInfo, networks: PocketNetworks, *, width: int = 0):
        self._networks, self.counts = networks, PocketCounts()
        presets = tuple(name for name in info.presets if name in networks.presets)
        default = info.default_preset if info.default_preset in presets else None
        self.info = replace(info, clones_clips=networks.encoder is not None, presets=presets, default_preset=default)
        self.weights_fingerprint, self.numeric_mode, self.device = networks.encoder_digest, "fp32", "cpu"
        rows = LatentRows(networks.flow_lm, networks.decoder, width=width or CPU_WIDTH)
        self._batched_decoder = BatchedDecoder(rows)
        self.width = rows.width if rows.shares else 1
        self._prepared = PreparedStates(self.PREPARED_MOST_BYTES)

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        self.counts.encoder_runs += 1
        assert self._networks.encoder is not None  # check_clip has refused what these weights cannot learn
        latents = latents_of(clip, self._networks.encoder)
        if not np.isfinite(latents).all():
            raise CheckpointInvalid("The weights that learn a voice are damaged: what they make of a recording is no number.", AGAIN)
        facts = {"seconds": round(clip.seconds, 3), "frames": len(latents)}
        return self.make_prompt(clip.digest, {LATENTS: latents}, transcript, facts)

    def preset(self, name: str) -> SpeakerPrompt:
        if name not in self.info.presets:
            return super().preset(name)
        keys_values = read_preset(self._networks.presets[name], self._networks.config.flow_lm)
        source = preset_digest(f"{name}@{self._networks.speech_digest[:PRESET_DIGITS]}")  # another model's keys would fit, and say nothing
        return self.make_prompt(source, {KEYS_VALUES: keys_values})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        self.check_prompt(prompt)
        tokenizer, rules = self._networks.tokenizer, self._networks.config.text
        keys, told = None, ENDED
        for index, piece in enumerate(text_pieces(text, rules, lambda part: len(tokenizer.ids(part)))):
            stream_start, schedule = self._beginning(piece, prompt, options, index, keys)
            keys = stream_start.keys
            guard = RunawayGuard(self.info.sample_rate) if options["runaway_guard"] else None
            end = yield from speak(self._batched_decoder, stream_start, schedule, guard)
            told = end if told.reason == ENDED.reason else told
        return told

    def warmup(self) -> None:
        """Speak two frames in nobody's voice, so that nobody's first text loads the libraries' kernels."""
        with torch.inference_mode():
            keys, rows = self._networks.flow_lm.new_keys(MOST_WARM_ROWS), self._networks.flow_lm.text_rows([0])
        params = LatentParams(0, 0.0, 1, float("inf"), 0)
        stream = self._batched_decoder.begin(LatentStart(keys, rows, params), 2)
        for frame in range(2):
            self._batched_decoder.want(stream)
            have_frame(self._batched_decoder, stream)
            self._batched_decoder.decode(stream, frame, 1)
        self._batched_decoder.release(stream)

    def prepare(self, prompt: SpeakerPrompt) -> None:
        self.check_prompt(prompt)
        self._voice(prompt)

    def forget(self, content_digest: str) -> None:
        self._prepared.forget(content_digest)

    def memory_bytes(self) -> int:
        return self._networks.bytes + self._prepared.bytes + self._batched_decoder.bytes

    def close(self) -> None:
        self._prepared.clear()
        del self._batched_decoder, self._networks

    def check_clip(self, clip: Clip) -> None:
        """Raises ClipsUnsupported also where the weights are those without an encoder."""
        if not self.info.clones_clips:
            hint = "Get those of kyutai/pocket-tts, whose terms are accepted on the Hub, or choose another engine."
            raise ClipsUnsupported(hint=hint, detail="these weights come without the part that learns a voice", engine=self.info.title)
        super().check_clip(clip)

    def check_prompt(self, prompt: SpeakerPrompt) -> None:
        """Raises PromptInvalid for a prompt that is not this engine's, or whose tensors are not what it makes."""
        super().check_prompt(prompt)
        if not self._is_whole(prompt):
            raise unreadable(prompt)

    # --- private

    def _is_whole(self, prompt: SpeakerPrompt) -> bool:
        config, names = self._networks.config, set(prompt.tensors)
        most_frames = ceil(self.info.most_clip_seconds * self.info.sample_rate / FRAME_SAMPLES) + 1  # of the pause behind it
        if names == {LATENTS}:
            tensor, width = prompt.tensors[LATENTS], config.mimi.inner_dim
            fits = tensor.ndim == 2 and tensor.shape[1] == width and 0 < len(tensor) <= most_frames and not prompt.is_preset
        elif names == {KEYS_VALUES}:
            tensor, sizes = prompt.tensors[KEYS_VALUES], config.flow_lm.transformer
            own = f"@{self._networks.speech_digest[:PRESET_DIGITS]}"
            fits = tensor.ndim == 5 and tensor.shape[:3] + tensor.shape[4:] == (sizes.num_layers, 2, sizes.n_kv_heads, sizes.head_dim)
            fits = fits and 0 < tensor.shape[3] <= MOST_POSITIONS and prompt.is_preset and prompt.source_digest.endswith(own)
        else:
            return False
        return bool(fits and tensor.dtype == np.float32 and np.isfinite(tensor).all())

    def _voice(self, prompt: SpeakerPrompt) -> KeyPrefix:
        return self._prepared.get(prompt.content_digest, VOICE, lambda: self._read_voice(prompt))

    @torch.inference_mode()
    def _read_voice(self, prompt: SpeakerPrompt) -> KeyPrefix:
        if KEYS_VALUES in prompt.tensors:
            return KeyPrefix(torch.tensor(prompt.tensors[KEYS_VALUES])[:, :, None])
        self.counts.voice_reads += 1
        rows = self._networks.flow_lm.voice_rows(torch.tensor(prompt.tensors[LATENTS]))
        keys = self._networks.flow_lm.new_keys(len(rows))
        self._networks.flow_lm.read(rows, keys)
        return keys.prefix()

    @torch.inference_mode()
    def _beginning(
        self, piece: TextPiece, prompt: SpeakerPrompt, options: Mapping[str, Value], index: int, keys: SpeechKeys | None
    ) -> tuple[LatentStart, ChunkSchedule]:  # fmt: skip
        """Everything that is decided before the first latent of a piece. keys: of the piece before, whose room is taken again."""
        networks, voice = self._networks, self._voice(prompt)
        ids = networks.tokenizer.ids(piece.text)
        rows = networks.flow_lm.text_rows(ids)
        rate = self.info.sample_rate / FRAME_SAMPLES
        n_read = voice.n_rows + len(rows)
        limit = frame_limit(
            piece.text,
            frames_per_second=rate,
            asked=int_option(options, "max_frames"),
            room=MOST_ROWS - n_read,
            heeds_text=bool_option(options, "runaway_guard"),
            by_tokens=ceil((len(ids) * SECONDS_PER_TOKEN + SECONDS_BEYOND) * rate),
        )
        if keys is not None and keys.length >= n_read + limit.frames:
            keys.n_rows = voice.n_rows
        else:
            keys = networks.flow_lm.new_keys(n_read + limit.frames)
            keys.begin(voice)
        temperature = options["temperature"]
        params = LatentParams(
            seed=int_option(options, "seed"),
            temperature=networks.config.default_temperature if temperature is None else float(temperature),
            n_steps=int_option(options, "decode_steps"),
            threshold=networks.config.default_eos_threshold,
            frames_after_end=piece.frames_after_end,
            first_noise=index * NOISE_PER_PIECE,
        )
        schedule = ChunkSchedule(int_option(options, "first_chunk_frames"), int_option(options, "chunk_frames"), limit)
        return LatentStart(keys, rows, params), schedule
