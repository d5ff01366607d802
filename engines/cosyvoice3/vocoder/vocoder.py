"""The vocoder of Fun-CosyVoice3: mel frames to 24 kHz sound, piece by piece, exactly. HiFT (arXiv 2309.09493), causal, in float32.

Loading it:

    with FoldedCheckpoint(file, strip=("generator.",)) as checkpoint:  # hift.pt
        checkpoint.load_into(vocoder, rename=name_in_file, device=device)  # made under torch.device("meta")
        vocoder.prepare_weights()
        checkpoint.check_all_used()
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.cosyvoice3.config import VocoderConfig
from engines.cosyvoice3.vocoder.harmonic_source import HarmonicSource
from engines.cosyvoice3.vocoder.pitch_predictor import PITCH_LOOKAHEAD_FRAMES, PitchPredictor
from engines.cosyvoice3.vocoder.short_time_fourier import InverseFourier, ShortTimeFourier
from engines.cosyvoice3.vocoder.vocoder_conv import RepeatedRowsConv1d, VocoderConv1d
from engines.kit.codec.causal_conv import CausalConv1d, Stateful
from engines.kit.codec.snake import Snake
from engines.kit.codec.stream_state import StreamState
from engines.kit.codec.tail_cursor import TailCursor
from engines.kit.nn.module_list import module_list
from engines.kit.nn.prepared_parts import prepare_parts

__all__ = ["HiftVocoder", "VocoderState", "name_in_file"]

# CausalHiFTGenerator of cosyvoice/hifigan/generator.py @ ace7c47
LAST_KERNEL = 7
LAST_SLOPE = 0.01  # F.leaky_relu's own, before conv_post
MOST_MAGNITUDE = 100.0

MOST_FRAMES_AT_ONCE = 50  # 1 s, 1.5 MB per activation at the last stage


def name_in_file(name: str) -> str:
    """A parameter's name -> the checkpoint's, which knows no `conv` within a layer."""
    return name.replace(".conv.", ".")


@dataclass(frozen=True)
class VocoderState(StreamState):
    """All that the next frame needs of those before, batch first.

    mel: (B, L - 1, D), the last frames that came in. phase: (B, H) float64 turns, and frame: (B, 1) int64, how many frames the source has
    made. source: (B, ...) its last samples. ready: (B, ...) samples that are done and wait for a frame to be whole. tails: of the
    convolutions, (B, rows, width), in the order of the layers; those of the pitch predictor are float64.
    """

    mel: Tensor
    phase: Tensor
    frame: Tensor
    source: Tensor
    ready: Tensor
    tails: tuple[Tensor, ...]


class HiftVocoder(nn.Module):
    """A source of sines after the pitch of the mel frames, and a network that shapes its spectrum, 480 samples per frame.

    A stream is `prime` of its first `lookahead_frames`, any number of `decode`, `finish`; its samples are those of `whole`, however it is
    cut. For one number of frames all shapes are fixed, and nothing waits for the device, so that CUDA graphs can hold each of them.
    Upstream holds back 8 frames (3 for the pitch, then 4, then 1), because its stages wait for one another. The pitch and the first
    convolution look ahead of the same frame, so that nothing depends on more than 5: the samples are the same.
    Upstream, also for the names of tensors: CausalHiFTGenerator. m_source.noise: the source's noise.
    """

    def __init__(self, config: VocoderConfig):
        """Raises ValueError where the first convolution does not look further ahead than the pitch."""
        super().__init__()
        self.config, self._n_ahead = config, config.conv_pre_look_right - PITCH_LOOKAHEAD_FRAMES
        if self._n_ahead < 1:
            raise ValueError(f"conv_pre_look_right is {config.conv_pre_look_right}: it must be above {PITCH_LOOKAHEAD_FRAMES}.")
        widths = [config.base_channels >> index for index in range(len(config.upsample_rates) + 1)]
        self.f0_predictor = PitchPredictor(config.in_channels, config.f0_channels)
        self.m_source = HarmonicSource(config)
        self.conv_pre = CausalConv1d(config.in_channels, widths[0], config.conv_pre_look_right + 1)
        ups = zip(pairwise(widths), config.upsample_kernel_sizes, config.upsample_rates, strict=True)
        self.ups = module_list(RepeatedRowsConv1d(*pair, kernel, rate) for pair, kernel, rate in ups)
        self.source_downs = module_list(
            _source_down(config.n_fft + 2, *sizes) for sizes in zip(widths[1:], _source_strides(config), strict=True)
        )
        sides = zip(widths[1:], config.source_resblock_kernel_sizes, config.source_resblock_dilation_sizes, strict=True)
        self.source_resblocks = module_list(VocoderBlock(*sizes) for sizes in sides)
        blocks = list(zip(config.resblock_kernel_sizes, config.resblock_dilation_sizes, strict=True))
        self.resblocks = module_list(VocoderBlock(width, *sizes) for width in widths[1:] for sizes in blocks)
        self.conv_post = VocoderConv1d(widths[-1], config.n_fft + 2, LAST_KERNEL)
        self.fourier = ShortTimeFourier(config.n_fft, config.hop_len)
        self.inverse = InverseFourier(config.n_fft, config.hop_len)

    @property
    def lookahead_frames(self) -> int:
        """How many frames audio is behind the mel frames of a stream."""
        return self.config.conv_pre_look_right + 1

    def prepare_weights(self) -> None:
        """What is multiplied, from what the file has. Once, after loading."""
        device = self.conv_pre.conv.weight.device
        prepare_parts(self, _PREPARED)
        self.fourier.prepare_on(device)
        self.inverse.prepare_on(device)

    def initial_state(self, batch: int = 1) -> VocoderState:
        """The state before the first frame of `batch` streams, for `prime`."""
        config, like = self.config, self.m_source.l_linear.weight
        mel = like.new_zeros(batch, config.conv_pre_look_right, config.in_channels)
        phase = like.new_zeros(batch, self.m_source.n_sines, dtype=torch.float64)
        source = like.new_zeros(batch, self._n_ahead * config.frame_samples + self.inverse.late)
        ready = like.new_zeros(batch, config.frame_samples - self.inverse.late)
        pitch_tails = [layer.start(batch, phase) for layer in self.f0_predictor.stateful()]
        tails = [layer.start(batch, like) for layer in self._stateful() if layer.context]
        return VocoderState(mel, phase, like.new_zeros(batch, 1, dtype=torch.int64), source, ready, (*pitch_tails, *tails))

    def prime(self, mel: Tensor, state: VocoderState) -> VocoderState:
        """Hear the first frames of a stream, of which there is no audio yet.

        mel: (B, lookahead_frames, D) float32. state: that of `initial_state`. Raises ValueError for another number of frames.
        """
        if mel.shape[1] != self.lookahead_frames:
            raise ValueError(f"{mel.shape[1]} first frames: a stream begins with {self.lookahead_frames}, `lookahead_frames`.")
        return self.begin(mel, state)[1]

    def begin(self, mel: Tensor, state: VocoderState) -> tuple[Tensor, VocoderState]:
        """`prime` with the first frames and `decode` with those behind them, at one go: a call on few frames costs as much as on more.

        mel: (B, lookahead_frames + F, D) float32, F >= 0. returns: (B, F * frame_samples), and the state after them.
        """
        return self._advance(mel, state, is_first=True)

    def decode(self, mel: Tensor, state: VocoderState) -> tuple[Tensor, VocoderState]:
        """Audio of as many frames as come in, `lookahead_frames` behind them.

        mel: (B, F, D) float32, F > 0. returns: (B, F * frame_samples) within audio_limit, and the state after them.
        Long input is decoded in pieces, in bounded memory.
        """
        audio = []
        for piece in mel.split(MOST_FRAMES_AT_ONCE, dim=1):
            samples, state = self._advance(piece, state)
            audio.append(samples)
        return (audio[0] if len(audio) == 1 else torch.cat(audio, dim=1)), state

    def finish(self, state: VocoderState, mel: Tensor | None = None) -> Tensor:
        """Audio of the last frames of a stream: (B, (F + lookahead_frames) * frame_samples).

        mel: (B, F, D), the frames that come with the end, if any do: `decode` and `finish` at one go.
        """
        return self._advance(state.mel[:, :0] if mel is None else mel, state, is_last=True)[0]

    def whole(self, mel: Tensor) -> Tensor:
        """Audio of all frames there are: (B, T, D) float32, T > 0, to (B, T * frame_samples) within audio_limit."""
        pieces, state, audio = mel.split(MOST_FRAMES_AT_ONCE, dim=1), self.initial_state(len(mel)), []
        for index, piece in enumerate(pieces):
            samples, state = self._advance(piece, state, is_first=index == 0, is_last=index == len(pieces) - 1)
            audio.append(samples)
        return torch.cat(audio, dim=1)

    def _stateful(self) -> Iterator[Stateful]:
        """The layers that have tails, in the order of `_shape`, but for those of the pitch predictor."""
        n_blocks = len(self.config.resblock_kernel_sizes)
        for index, (up, down, side) in enumerate(zip(self.ups, self.source_downs, self.source_resblocks, strict=True)):
            yield from (down, *side.stateful(), up)
            for block in self.resblocks[index * n_blocks : (index + 1) * n_blocks]:
                yield from block.stateful()
        yield from (self.conv_post, self.inverse)

    def _advance(
        self, mel: Tensor, state: VocoderState, *, is_first: bool = False, is_last: bool = False
    ) -> tuple[Tensor, VocoderState]:  # fmt: skip
        """The samples that mel frames complete. Of the frames, `conv_pre_look_right` are always ahead; zeros are, behind the last."""
        n_look, n_ahead, tails = self.config.conv_pre_look_right, self._n_ahead, TailCursor(state.tails)
        seen = mel if is_first else torch.cat([state.mel, mel], dim=1)
        heard = seen if is_first else seen[:, n_ahead:]  # by the pitch predictor, `n_ahead` frames earlier than by conv_pre
        if is_last:
            seen, heard = F.pad(seen, (0, 0, 0, n_look)), F.pad(heard, (0, 0, 0, PITCH_LOOKAHEAD_FRAMES))
        pitch = self.f0_predictor(heard, tails)
        source, phase = self.m_source(pitch, state.phase, state.frame)
        spectra, source = self._analyze(source, state.source, is_first, is_last)
        rows, _ = self.conv_pre(seen[:, n_look:], seen[:, :n_look])
        rows = self._shape(rows, spectra, tails, is_first)
        samples, ready = self._synthesize(rows, state.ready, tails, is_first, is_last)
        frame = state.frame + pitch.shape[1]
        return samples, VocoderState(seen[:, seen.shape[1] - n_look :].clone(), phase, frame, source, ready, tuple(tails.kept))

    def _analyze(self, new: Tensor, kept: Tensor, is_first: bool, is_last: bool) -> tuple[Tensor, Tensor]:
        """Source samples to the spectra that conv_pre's rows need, (B, N, n_fft + 2), and the samples that the next ones need."""
        samples = torch.cat([self.fourier.before(new) if is_first else kept, new], dim=1)
        if is_last:
            samples = torch.cat([samples, self.fourier.behind(samples)], dim=1)
            return self.fourier(samples), samples[:, :0]
        n_kept = kept.shape[1]
        n_windows = (samples.shape[1] - n_kept) // self.fourier.hop
        n_seen = (n_windows - 1) * self.fourier.hop + self.fourier.n_fft
        return self.fourier(samples[:, :n_seen]), samples[:, samples.shape[1] - n_kept :].clone()

    def _shape(self, rows: Tensor, spectra: Tensor, tails: TailCursor, is_first: bool) -> Tensor:
        """Rows of conv_pre (B, N, D) and spectra of the source (B, N * rates, n_fft + 2), at first one more, to those of the sound."""
        n_blocks = len(self.config.resblock_kernel_sizes)
        for index, (up, down, side) in enumerate(zip(self.ups, self.source_downs, self.source_resblocks, strict=True)):
            strided_first = is_first and down.context > 0  # the first spectrum stands before the first stride
            edge = spectra[:, :1] if strided_first else None
            beside = side(tails.through(down, spectra[:, 1:] if strided_first else spectra, edge), tails)
            rows = tails.through(up, F.leaky_relu(rows, self.config.lrelu_slope))
            if is_first and index == len(self.ups) - 1:
                rows = torch.cat([rows[:, 1:2], rows], dim=1)  # upstream: reflection_pad
            rows = rows + beside
            blocks = self.resblocks[index * n_blocks : (index + 1) * n_blocks]
            rows = reduce(torch.add, [block(rows, tails) for block in blocks]) / n_blocks
        return tails.through(self.conv_post, F.leaky_relu(rows, LAST_SLOPE))

    def _synthesize(self, rows: Tensor, ready: Tensor, tails: TailCursor, is_first: bool, is_last: bool) -> tuple[Tensor, Tensor]:
        """Logarithms of magnitudes, and angles before a sine, to the samples of whole frames and those that wait for more."""
        loudness, angles = rows.tensor_split(2, dim=2)
        magnitudes, angles = loudness.exp().clamp(max=MOST_MAGNITUDE), angles.sin()
        spectra, late = torch.cat([magnitudes * angles.cos(), magnitudes * angles.sin()], dim=2), self.inverse.late
        if is_last:
            spectra = F.pad(spectra, (0, 0, 0, late // self.inverse.hop))
        samples = tails.through(self.inverse, spectra)
        if is_first:
            samples = samples[:, self.fourier.reach :]
            samples = torch.cat([samples[:, :late] * self.inverse.start_gain, samples[:, late:]], dim=1)
        if is_last:
            n_sound = samples.shape[1] - late
            samples = torch.cat([samples[:, :n_sound], samples[:, n_sound:] * self.inverse.end_gain], dim=1)
        samples = samples.clamp(-self.config.audio_limit, self.config.audio_limit)
        samples = samples if is_first else torch.cat([ready, samples], dim=1)
        n_whole = samples.shape[1] if is_last else samples.shape[1] - ready.shape[1]
        return samples[:, :n_whole], samples[:, n_whole:].clone()


class VocoderBlock(nn.Module):
    """The residual block of HiFT: rows + plain(snake(wide(snake(rows)))), once for each dilation.

    Upstream, also for the names of tensors: ResBlock, hifigan/generator.py.
    """

    def __init__(self, width: int, kernel: int, dilations: Sequence[int]):
        super().__init__()
        self.convs1 = module_list(VocoderConv1d(width, width, kernel, dilation=dilation) for dilation in dilations)
        self.convs2 = module_list(VocoderConv1d(width, width, kernel) for _ in dilations)
        self.activations1 = module_list(Snake(width, is_flat=True) for _ in dilations)
        self.activations2 = module_list(Snake(width, is_flat=True) for _ in dilations)

    def stateful(self) -> Iterator[VocoderConv1d]:
        """The layers that have tails, in the order of `forward`."""
        for wide, plain in zip(self.convs1, self.convs2, strict=True):
            yield from (wide, plain)

    def forward(self, rows: Tensor, tails: TailCursor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        for first, wide, second, plain in zip(self.activations1, self.convs1, self.activations2, self.convs2, strict=True):
            rows = rows + tails.through(plain, second(tails.through(wide, first(rows))))
        return rows


def _source_strides(config: VocoderConfig) -> list[int]:
    """Of the source's spectra, for the rows of each stage: the rates of the stages behind it."""
    strides = [1]
    for rate in reversed(config.upsample_rates[1:]):
        strides.insert(0, strides[0] * rate)
    return strides


def _source_down(width_in: int, width_out: int, stride: int) -> VocoderConv1d:
    return VocoderConv1d(width_in, width_out, 1 if stride == 1 else 2 * stride, stride=stride)


_PREPARED = PitchPredictor | HarmonicSource | CausalConv1d | Snake  # kinds of layers that prepare their weights
