"""Errors of blind pairs: why two sounds cannot be compared, and why a vote does not count."""

from engines.errors import CallerMistake

__all__ = ["PairOwnerUnknown", "PairUnheard", "PairUnknown", "PairUnusable", "PairVoted"]


class PairMistake(CallerMistake):
    """Of two sounds that are heard without their names."""


class PairUnknown(PairMistake):
    """There is none of that id, its time is over, or it is somebody else's: nobody can tell which."""

    code = "pair_unknown"
    parameter = "pair"

    def __init__(self):
        super().__init__("There is no such pair of sounds.", "Its time is over. Ask for another one.")


class PairUnusable(PairMistake):
    """Two sounds that no vote should choose between. sentence: which fact it is, with its values."""

    code = "pair_unusable"

    def __init__(self, parameter: str, fact: str, hint: str, **values: object):
        super().__init__(fact, hint, **values)
        self.parameter = parameter


class PairUnheard(PairMistake):
    """A vote on what was not heard. slot: which of the two."""

    code = "pair_unheard"
    parameter = "choice"

    def __init__(self, slot: str):
        fact = f"Sound {slot.upper()} has not been heard."
        super().__init__(fact, "Listen to both, for 2 seconds at least or to the end, then vote.", slot=slot.upper())


class PairVoted(PairMistake):
    code = "pair_voted"
    parameter = "pair"

    def __init__(self):
        super().__init__("There is a vote on this pair already.", "A pair takes one vote. Ask for another pair.")


class PairOwnerUnknown(PairMistake):
    """Visitors are kept apart, and a request that would vote does not say whose vote it is."""

    code = "pair_owner_unknown"

    def __init__(self):
        fact = "This studio keeps its visitors apart, and the request does not say whose vote it would be."
        super().__init__(fact, "Use the page, or send a key of yours.")
