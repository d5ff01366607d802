"""BatchedSpeechDecoders: a decoder of speech tokens and a decoder of their sound, side by side on one device."""

from collections.abc import Set

from engines.cosyvoice3.flow import memory_rows
from engines.cosyvoice3.flow.batched_mel_decoder import BatchedMelDecoder
from engines.cosyvoice3.flow.flow import frame_bytes
from engines.cosyvoice3.flow.memory_rows import RowRoom
from engines.cosyvoice3.networks import CosyVoice3Networks
from engines.cosyvoice3.speech_tokens.batched_token_decoder import TokenRows
from engines.errors import EngineUnavailable
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.device import free_bytes

__all__ = ["BatchedSpeechDecoders"]

FREE_SHARE, MOST_SHARE = 1 / 2, 4 / 5  # of a GPU's free memory, for what the flow remembers: of several streams, and of a single one


class BatchedSpeechDecoders:
    """tokens: of `width` streams. mel: of `flow_rows` on a GPU, 0 for as many of them as its memory holds."""

    def __init__(
        self, networks: CosyVoice3Networks, graphs: Graphs, *, width: int, fixed_shapes: bool, host_lag_frames: int = 0, flow_rows: int = 0
    ):  # fmt: skip
        shapes = {"width": width, "fixed_shapes": fixed_shapes, "host_lag_frames": host_lag_frames}
        self.tokens = BatchedDecoder(TokenRows(networks.model, networks.config.sampling, graphs, **shapes))
        self.watch = self.tokens.watch
        room = _room_on(networks, flow_rows or width, is_asked=flow_rows > 0) if fixed_shapes else None
        self.mel = BatchedMelDecoder(networks.flow, networks.vocoder, graphs, room=room, width=width, memory_dtype=networks.dtype)

    @property
    def bytes(self) -> int:
        return self.tokens.bytes + self.mel.bytes

    def use_kernels(self, names: Set[str]) -> None:
        """Have these do what they fuse (see kit/fused/self_check.py), in all that is captured from now on."""
        self.tokens.use_kernels(names)

    def warm_up(self) -> None:
        """Capture all graphs. Nobody may be under way."""
        self.tokens.warm_up()
        self.mel.warm_up()


def _room_on(networks: CosyVoice3Networks, most_rows: int, *, is_asked: bool) -> RowRoom:
    """As many rows as were asked for, or as the device has memory for; a single one may be shorter. Raises EngineUnavailable."""
    if is_asked or networks.device.type != "cuda":
        return RowRoom(most_rows, memory_rows.KEY_FRAMES[-1])
    free, a_frame = free_bytes(networks.device), frame_bytes(networks.config.flow, networks.dtype)
    n_rows = min(most_rows, int(free * FREE_SHARE) // (a_frame * memory_rows.KEY_FRAMES[-1]))
    if n_rows:
        return RowRoom(n_rows, memory_rows.KEY_FRAMES[-1])
    fitting = [n_frames for n_frames in memory_rows.KEY_FRAMES[-2:] if n_frames * a_frame <= free * MOST_SHARE]
    if not fitting:
        needed = memory_rows.KEY_FRAMES[-2] * a_frame / MOST_SHARE
        room = f"the flow needs {needed / 1e9:.1f} GB of its memory beside the weights, and {free / 1e9:.1f} GB are free"
        detail = f"{room}; set COSYVOICE3_DEVICE to cpu"
        raise EngineUnavailable(sentence="device_unusable", detail=detail, name=str(networks.device))
    return RowRoom(1, fitting[-1])
