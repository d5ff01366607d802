"""SpeechLanes: where a language model says tokens and where they are made sound, side by side on one device."""

from collections.abc import Set

from engines.cosyvoice3.flow import frame_bytes
from engines.cosyvoice3.mel_lane import MelLane
from engines.cosyvoice3.memory_rows import KEY_FRAMES
from engines.cosyvoice3.networks import CosyVoice3Networks
from engines.cosyvoice3.token_lane import TokenLane
from engines.layers.cuda_graphs import Graphs
from engines.layers.device import free_bytes

__all__ = ["SpeechLanes"]

FREE_SHARE = 1 / 2  # of a GPU's free memory, for what the flow remembers


class SpeechLanes:
    """tokens: of `width` streams. mel: of `flow_rows` on a GPU, 0 for as many of them as its memory holds."""

    def __init__(
        self, networks: CosyVoice3Networks, graphs: Graphs, *, width: int, fixed_shapes: bool, late_frames: int = 0, flow_rows: int = 0
    ):  # fmt: skip
        shapes = {"width": width, "fixed_shapes": fixed_shapes, "late_frames": late_frames}
        self.tokens = TokenLane(networks.model, networks.config.sampling, graphs, **shapes)
        rows = flow_rows or (_rows_that_fit(networks, width) if networks.device.type == "cuda" else width)
        self.mel = MelLane(
            networks.flow, networks.vocoder, graphs, rows=rows, fixed_shapes=fixed_shapes, memory_dtype=networks.dtype
        )  # fmt: skip

    @property
    def bytes(self) -> int:
        return self.tokens.bytes + self.mel.bytes

    def use_kernels(self, names: Set[str]) -> None:
        """Have these do what they fuse (see layers/fused/self_check.py), in all that is captured from now on."""
        self.tokens.use_kernels(names)

    def warm_up(self) -> None:
        """Capture all graphs. Nobody may be under way."""
        self.tokens.warm_up()
        self.mel.warm_up()


def _rows_that_fit(networks: CosyVoice3Networks, most: int) -> int:
    """Between 1 and the most."""
    row_bytes = frame_bytes(networks.config.flow, networks.dtype) * KEY_FRAMES[-1]
    return max(1, min(most, int(free_bytes(networks.device) * FREE_SHARE) // row_bytes))
