"""A batched decoder that keeps the codes of every frame that it completes."""

import torch

from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.code_rows import CodeRows
from engines.kit.decode.cuda_graphs import Graphs

__all__ = ["listening"]


def listening(rows: type[CodeRows], networks: object, **settings) -> BatchedDecoder:
    """One row wide, without graphs; `rows.codes` of it is a list of frames, each its Q codes. settings: of the rows."""

    class ListeningRows(rows):
        def __init__(self):
            super().__init__(networks, Graphs(torch.device("cpu")), width=1, **settings)
            self.codes: list[list[int]] = []

        def _complete(self) -> None:
            super()._complete()
            self.codes.append(self._frame_codes[0, :, int(self._frame) % self.RING].tolist())

    return BatchedDecoder(ListeningRows())
