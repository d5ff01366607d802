"""LatentRows: makes the latents of all streams, 12.5 a second, each from those before, and their sound. No other code does."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from engines.kit.decode.batched_decoder import DecoderRows, FrameStream
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.nn.batch_check import is_exact, least_rows
from engines.kit.sampling.sampling import gaussian_noise
from engines.pocket_tts.flow_lm import Conditions, FlowLm
from engines.pocket_tts.speech_keys import SpeechKeys
from engines.pocket_tts.vae.vae_decoder import VaeDecoder, VaeDecoderState

__all__ = ["LatentParams", "LatentRows", "LatentStart", "LatentStream"]

FIRST_END = 6  # frames before which no end is heeded: upstream's _MIN_FRAMES_BEFORE_EOS
FADE_SAMPLES = 120  # 5 ms at 24 kHz, over which a piece begins: a decoder that has heard nothing steps at its first samples; upstream too
NOISE_FRAMES = 16  # whose noise is drawn at a time, since that takes as long as for one


@dataclass(frozen=True)
class LatentParams:
    """How a stream draws and ends. temperature: variance of the noise. n_steps: of a head that takes several.

    threshold: a logit above it is the end; frames_after_end: that are spoken from there on, the one of that logit among them.
    first_noise: number of the first frame's noise, so that pieces of a text do not draw the same.
    """

    seed: int
    temperature: float
    n_steps: int
    threshold: float
    frames_after_end: int
    first_noise: int = 0


@dataclass(frozen=True)
class LatentStart:
    """What a stream starts from. keys: with the voice's rows, and room for all that follow. rows: of the text, (T, D)."""

    keys: SpeechKeys
    rows: Tensor
    params: LatentParams


@dataclass(eq=False, kw_only=True)
class LatentStream(FrameStream):
    """A stream under way. condition: (1, W) of the latent that comes next, once the text is read. latent: (1, D), the last one.

    unheard: those that are no sound yet. noise: (NOISE_FRAMES, D), of frames from noise_from on. ends_at: the frame that is not spoken any
    more, where that is known.
    """

    keys: SpeechKeys
    rows: Tensor = field(repr=False)
    params: LatentParams
    vae: VaeDecoderState
    condition: Tensor | None = None
    latent: Tensor | None = None
    unheard: list[Tensor] = field(default_factory=list, repr=False)
    noise: Tensor | None = field(default=None, repr=False)
    noise_from: int = 0
    ends_at: int | None = None


class LatentRows(DecoderRows[LatentStart, LatentStream]):
    """Every stream has its own keys, its own decoder's state and its own noise, wherever its turn comes: nothing is set aside or copied.

    Streams of one step share the weights that are read for it, and nothing else: where this machine gives a row other bits in company than
    beside one neighbor, they share nothing.
    """

    def __init__(self, flow_lm: FlowLm, decoder: VaeDecoder, *, width: int):
        self.width, self.host_lag_frames, self.end_is_predicted = width, 0, False
        self.watch = OverflowWatch(width, torch.float32, "cpu")
        self._flow_lm, self._decoder = flow_lm, decoder
        self._positions = torch.arange(len(flow_lm.emb_std))
        self.shares = width > 1
        self.shares = self.shares and self._gives_rows_alone()

    def bytes_with(self, streams: Sequence[LatentStream]) -> int:
        return sum(stream.keys.bytes + stream.vae.n_bytes for stream in streams)

    def decode(self, stream: LatentStream, first: int, n_frames: int) -> Tensor:
        """The audio of frames first, first + 1, ..., (T,) float32. Of frames that follow one another."""
        latents = torch.cat(stream.unheard[:n_frames])
        del stream.unheard[:n_frames]
        audio, stream.vae = self._decoder.decode(latents[None], stream.vae)
        audio = audio[0].clamp_(-1, 1)
        if first == 0:
            audio[:FADE_SAMPLES] *= torch.linspace(0, 1, FADE_SAMPLES)
        return audio

    # --- steps of several

    def new_stream(self, stream_start: LatentStart, most_frames: int) -> LatentStream:
        return LatentStream(
            keys=stream_start.keys,
            rows=stream_start.rows,
            params=stream_start.params,
            vae=self._decoder.initial_state(),
            most_frames=most_frames,
            noise_from=stream_start.params.first_noise,
        )

    def read(self, streams: Sequence[LatentStream]) -> None:
        (stream,) = streams
        stream.condition = self._flow_lm.read(stream.rows, stream.keys).condition

    def draw(self, streams: Sequence[LatentStream]) -> tuple[Tensor, bool]:
        ended = torch.zeros(self.width, dtype=torch.bool)
        for stream, condition, logit in self._drawn(streams):
            stream.condition = condition
            stream.keys.n_rows += 1
            if stream.ends_at is None and stream.n_tokens >= FIRST_END and logit > stream.params.threshold:
                stream.ends_at = stream.n_tokens + stream.params.frames_after_end
            ended[stream.row] = stream.ends_at == stream.n_tokens
        return ended, False

    def _drawn(self, streams: Sequence[LatentStream]) -> list[tuple[LatentStream, Tensor, float]]:
        """Of each its condition, (1, W), and the logit of its end, before anything is kept."""
        drawn = []
        for together in self._parties(streams):
            conditions = self._step([_there(stream.latent) for stream in together], [stream.keys for stream in together])
            rows = conditions.condition.split(1), conditions.end[:, 0].tolist()
            drawn += zip(together, *rows, strict=False)  # those for company fall away
        return drawn

    def complete(self, streams: Sequence[LatentStream]) -> None:
        """All are made before any is kept, so that a failure leaves every stream where it was."""
        made = []
        for together in self._parties(streams):
            for n_steps in sorted({stream.params.n_steps for stream in together}):
                made += self._made([stream for stream in together if stream.params.n_steps == n_steps], n_steps)
        for stream, latent in made:
            stream.latent = latent
            stream.unheard.append(latent)

    def _made(self, streams: Sequence[LatentStream], n_steps: int) -> list[tuple[LatentStream, Tensor]]:
        """The latents that these are at, (1, D) each."""
        noise = [self._noise(stream) for stream in streams]
        return list(zip(streams, self._head([_there(stream.condition) for stream in streams], noise, n_steps).split(1), strict=False))

    def _parties(self, streams: Sequence[LatentStream]) -> list[Sequence[LatentStream]]:
        """Who shares a step."""
        return [streams] if self.shares else [[stream] for stream in streams]

    def _noise(self, stream: LatentStream) -> Tensor:
        """(1, D), of the stream's seed and the number of its frame."""
        frame = stream.params.first_noise + stream.n_frames
        if stream.noise is None or frame >= stream.noise_from + NOISE_FRAMES:
            frames = torch.arange(frame, frame + NOISE_FRAMES)[:, None]
            noise = gaussian_noise(torch.tensor([[stream.params.seed]]), frames, self._positions)
            stream.noise, stream.noise_from = noise * math.sqrt(stream.params.temperature), frame
        return stream.noise[frame - stream.noise_from][None]

    # --- the work itself

    def _step(self, latents: Sequence[Tensor], keys: Sequence[SpeechKeys]) -> Conditions:
        """(1, D) of each stream, and as many keys."""
        return self._flow_lm.step(self._rows(latents), keys)

    def _head(self, conditions: Sequence[Tensor], noise: Sequence[Tensor], n_steps: int) -> Tensor:
        """(1, W) and (1, D) of each stream -> (B or more, D)"""
        return self._flow_lm.flow_net(self._rows(conditions), self._rows(noise), n_steps)

    def _rows(self, rows: Sequence[Tensor]) -> Tensor:
        """One above the other; where steps are shared, few of them with the first again and again, since few are summed in another way."""
        if len(rows) == 1 and not self.shares:
            return rows[0]
        return torch.cat([*rows, *[rows[0]] * (least_rows() - len(rows))])

    def _gives_rows_alone(self) -> bool:
        """Whether a stream's bits are the same beside any number of others: asked of the networks themselves, on made-up rows."""
        generator = torch.Generator().manual_seed(0)
        latents = torch.randn(self.width, len(self._positions), generator=generator)

        def network(rows: Tensor) -> Tensor:
            each = rows.split(1)
            keys = [self._flow_lm.new_keys(1) for _ in each]
            conditions = self._step(each, keys)
            made = self._head(conditions.condition[: len(each)].split(1), each, 1)
            return torch.cat([part[: len(each)] for part in (*conditions, made)], dim=1)

        return all(is_exact(network, latents[:n]) for n in range(2, self.width + 1))


def _there(tensor: Tensor | None) -> Tensor:
    """What a stream has by the time that it is asked for."""
    assert tensor is not None
    return tensor
