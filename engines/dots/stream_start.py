"""DotsStart: what a stream of dots.tts starts from. DotsStream: one that is under way."""

from dataclasses import dataclass, field

from torch import Tensor

from engines.dots.interleaving import DotsAlong
from engines.kit.decode.row_stream import RowStream

__all__ = ["DotsStart", "DotsStream", "HeardPatches", "PatchParams"]


@dataclass(frozen=True)
class PatchParams:
    """How a patch is drawn. guidance: see SpeechModel.draw."""

    seed: int
    n_steps: int
    guidance: float


@dataclass(frozen=True)
class HeardPatches:
    """Patches of a recording that speech goes on from, as the semantic encoder heard them.

    rows: (1, N, H), for the language model. latents: (1, N, P, D), normalized. keys: of the encoder, (layers, 2, 1, heads, places,
    head_dim). last: (1, 1, D), the latent that it hears next.
    """

    rows: Tensor
    latents: Tensor
    keys: Tensor
    last: Tensor

    @property
    def bytes(self) -> int:
        return sum(tensor.nbytes for tensor in (self.rows, self.latents, self.keys, self.last))


@dataclass(frozen=True)
class DotsStart:
    """What a stream starts from. rows: (1, T, H), text and heard patches up to before the first patch that is drawn. voices: (branches, W),
    see SpeechModel.voices. heard: None where speech goes on from nothing; else the first patch is made once more, and not sounded.

    made_of: places in rows whose states the heard patches are made of. behind: (1, K, H), what is read behind the patch that is made once
    more, where text is read token by token; None where nothing. along: that text. opening: (P, D), normalized, a first patch that is given.
    """

    rows: Tensor
    voices: Tensor
    heard: HeardPatches | None
    params: PatchParams
    made_of: tuple[int, ...] = ()
    behind: Tensor | None = None
    along: DotsAlong | None = None
    opening: Tensor | None = None
    source: HeardPatches | None = None

    @property
    def n_heard(self) -> int:
        """Patches of the recording that speech goes on from."""
        return 0 if self.heard is None else self.heard.rows.shape[1]

    @property
    def n_source(self) -> int:
        """Patches of the recording that is changed."""
        return 0 if self.source is None else self.source.rows.shape[1]

    @property
    def n_rows(self) -> int:
        """That the language model reads before the first sound."""
        return self.rows.shape[1] + (self.heard is not None) + (0 if self.behind is None else self.behind.shape[1])


@dataclass(eq=False, kw_only=True)
class DotsStream(RowStream):
    """A stream under way. n_steps: of its sampler. n_before: patches before the one that is drawn next, or was drawn last.

    n_source: patches that the semantic encoder heard before these, and the velocity field did not. along: its text, where it is read token
    by token. is_opened: its first patch is given.
    """

    n_steps: int
    n_before: int = 0
    n_source: int = 0
    along: DotsAlong | None = field(default=None, repr=False)
    is_opened: bool = False
