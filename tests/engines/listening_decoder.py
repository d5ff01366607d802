"""A batched decoder that keeps the codes of every frame that it completes."""

import torch

from engines.kit.decode.batched_code_decoder import BatchedCodeDecoder
from engines.kit.decode.cuda_graphs import Graphs

__all__ = ["listening"]


def listening(batched_decoder: type[BatchedCodeDecoder], networks: object, **settings) -> BatchedCodeDecoder:
    """One row wide, without graphs; `codes` of it is a list of frames, each its Q codes. settings: of the batched decoder."""

    class ListeningDecoder(batched_decoder):
        def __init__(self):
            super().__init__(networks, Graphs(torch.device("cpu")), width=1, **settings)
            self.codes: list[list[int]] = []

        def _complete(self) -> None:
            super()._complete()
            self.codes.append(self._frame_codes[0, :, int(self._frame) % self.RING].tolist())

    return ListeningDecoder()
