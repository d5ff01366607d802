"""FastTransformer: completes a frame. From the slow transformer's hidden state and the semantic code it draws the codes of the other
codebooks.
"""

from torch import Tensor, nn

from engines.fish_speech.config import FishConfig
from engines.kit.nn.depth_decoder import DepthDecoder

__all__ = ["FastTransformer"]


class FastTransformer(DepthDecoder):
    """One table and one head for all codebooks. Its first row is the hidden state behind the slow transformer's last norm
    (`norm_fastlayer_input` of the configuration).

    n_codes: entries of a book behind the semantic one. The head has rows for more, which no book has; they are never chosen.
    """

    WIDE_LOGITS = False

    def __init__(self, config: FishConfig, n_codes: int):
        sizes = config.audio_decoder_config
        super().__init__(config.fast_decoder(), sizes.num_codebooks)
        self.embeddings = nn.Embedding(sizes.vocab_size, sizes.dim)
        self.output = nn.Linear(sizes.dim, sizes.vocab_size, bias=False)
        self.n_codes = n_codes

    def prepare_weights(self) -> None:
        """Leave the rows of the head that no book has. Once, after loading."""
        self.output.weight = nn.Parameter(self.output.weight.detach()[: self.n_codes].clone(), requires_grad=False)

    def embed(self, codebook: int, codes: Tensor) -> Tensor:
        return self.embeddings(codes)

    def project(self, rows: Tensor) -> Tensor:
        return rows

    def head(self, codebook: int) -> nn.Linear:
        return self.output
