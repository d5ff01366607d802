"""VoxtralRows: makes all frames: the backbone reads a row, the flow head follows, then the codec. No other code does."""

from dataclasses import dataclass

import torch
from torch import Tensor

from engines.kit.decode.code_rows import CodeNetworks, CodeRows
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.row_stream import RowStart, RowStream
from engines.kit.sampling.sampling import gaussian_noise
from engines.voxtral.networks import VoxtralNetworks

__all__ = ["FlowParams", "VoxtralRows", "VoxtralStart"]

NO_CODE_END = 0  # what VoxtralFlowHead.semantic says of the end of speech; codes begin behind it


@dataclass(frozen=True)
class FlowParams:
    """scale: of the guidance, 1 without."""

    seed: int
    scale: float


@dataclass(frozen=True, kw_only=True)
class VoxtralStart(RowStart):
    """params: of all frames."""

    params: FlowParams


class VoxtralRows(CodeRows[VoxtralStart, RowStream]):
    """A row of input is the last frame, all of its codes summed. A position is 12.5 a second: the longest row of keys is 164 s.

    A speech has a frame at least: upstream one may end before, and is then no sound at all.
    """

    KEY_SIZES = (512, 768, 1024, 2048)  # a step reads 0.85 MB per position of eight rows, beside 11 GB of weights
    PROMPT_KEYS = 512  # a voice of 30 s has 379 rows, a piece of text some 100

    def __init__(
        self, networks: VoxtralNetworks, graphs: Graphs, codec_graphs: Graphs | None = None,
        *, width: int, fixed_shapes: bool, host_lag_frames: int = 0,
    ):  # fmt: skip
        backbone, flow, codec = networks.backbone, networks.flow, networks.decoder
        parts = CodeNetworks(backbone.decoder, networks.config.audio_model.n_codebooks, (backbone, flow, codec), codec)
        super().__init__(parts, graphs, codec_graphs, width=width, fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames)
        self._backbone, self._flow = backbone, flow
        self._noise_positions = torch.arange(flow.n_acoustic, device=networks.device)
        self._scale = self._zeros(width, 1)

    def decode(self, stream: RowStream, first: int, n_frames: int) -> Tensor:
        """See CodeRows; the codec knows no full scale, and is cut there."""
        return super().decode(stream, first, n_frames).clamp_(-1, 1)

    # --- one stream's affairs

    def _set(self, stream: RowStream, stream_start: VoxtralStart) -> None:
        self._draw_as(stream.own_row, stream_start.params)

    def _draw_as(self, row: int, params: FlowParams) -> None:
        self._seed[row].fill_(params.seed)
        self._scale[row].fill_(params.scale)

    def _own_row_tensors(self) -> list[Tensor]:
        return [self._scale]

    # --- the work itself: reads and writes the rows' tensors, knows no stream, waits for nothing

    def _sample_first(self) -> None:
        codes = self._flow.semantic(self._hidden_state, self._frame == 0, self.see)
        torch.where(self._active[:, 0], codes, self._code, out=self._code)
        torch.eq(self._code, NO_CODE_END, out=self._ended)

    def _complete(self) -> None:
        noise = gaussian_noise(self._seed, self._frame, self._noise_positions, fused="uniform_noise" in self._kernels)
        acoustic = self._flow.acoustic(self._hidden_state, noise, self._scale, self.see)
        semantic = (self._code[:, None] - 1).clamp(min=0)  # an ended frame may be completed before anybody knows
        codes = torch.cat([semantic, acoustic], dim=1)
        self._row.copy_(self._backbone.embed_frames(codes[:, None]))
        self._remember(codes)
