"""What is kept per voice on the device of a recording, beside keys and values of the rows that every text begins with."""

from dataclasses import dataclass

from torch import Tensor

from engines.qwen3_tts.codec_decoder import CodecState

__all__ = ["ReferenceState"]


@dataclass(frozen=True)
class ReferenceState:
    """What follows from a recording's codes: their rows (1, F + 1, H), and the codec decoder as it stands after them."""

    code_rows: Tensor
    codec: CodecState

    @property
    def bytes(self) -> int:
        return self.code_rows.nbytes + self.codec.n_bytes
