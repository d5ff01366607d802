"""Errors of blind pairs: why two sounds cannot be compared, and why a vote does not count."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = ["PairOwnerUnknown", "PairUnheard", "PairUnknown", "PairUnusable", "PairVoted"]


class PairMistake(StudioError, CallerMistake):
    """Of two sounds that are heard without their names."""


class PairUnknown(PairMistake):
    """There is none of that id, its time is over, or it is somebody else's: nobody can tell which."""

    code = "pair_unknown"
    status = 404
    parameter = "pair"


class PairUnusable(PairMistake):
    """Two sounds that no vote should choose between. sentence: which fact it is, with its values."""

    code = "pair_unusable"

    def __init__(self, parameter: str, *, hint: str = "", detail: str = "", **values: object):
        super().__init__(hint=hint, detail=detail, **values)
        self.parameter = parameter


class PairUnheard(PairMistake):
    """A vote on what was not heard. slot: which of the two."""

    code = "pair_unheard"
    status = 409
    parameter = "choice"

    def __init__(self, slot: str):
        super().__init__(slot=slot.upper())


class PairVoted(PairMistake):
    """A pair takes one vote."""

    code = "pair_voted"
    status = 409
    parameter = "pair"


class PairOwnerUnknown(PairMistake):
    """Visitors are kept apart, and a request that would vote does not say whose vote it is."""

    code = "pair_owner_unknown"
    status = 403
