"""Vote: one judgment, in the form for statistics and files. It is long: one row for each judged sound, whatever the method."""

from dataclasses import dataclass, fields

from studio.listening.plan.design import TrialKind
from studio.listening.plan.plan import Method

__all__ = ["COLUMNS", "Vote"]


@dataclass(frozen=True)
class Vote:
    """method, listener, trial, kind, text: what was asked, of whom. text: as the plan has it, or whatever tells texts apart.

    system, other: of MOS, SMOS, DCR, P.835 and MUSHRA what was rated and ""; of a pair both, in the plan's order whichever was heard first;
    of CCR and BS.1116 `other` is the reference.
    score: MOS, SMOS, DCR, P.835 1 to 5, of a scale of one's own its points; MUSHRA 0 to 100; CMOS, CCR -3 to 3, above 0 for `system` better
    than `other`; BS.1116 the grade of `system` less that of the hidden reference, -4 to 4; AB 1 for `system`, 0 for `other`, 0.5 for
    neither; ABX 1 for right, 0 for wrong (`system` is what X was). scale: what was asked, where the method does not say it.
    passed: of gold and trap trials whether it was as it should be. first: of a pair whether `system` was in the first slot. position: of
    the slot, from 0. plays, heard_seconds: of what was rated; of a pair the lesser. seconds: that the answer took. early_seconds: by the
    server's clock, how much sooner the answer came than its sounds can have been heard. experimenter: it is of who made the test, and out
    of headline numbers.
    """

    method: Method
    listener: str
    trial: int
    kind: TrialKind
    text: str
    system: str
    other: str
    score: float
    passed: bool | None = None
    first: bool = True
    position: int = 0
    plays: int = 1
    heard_seconds: float = 0.0
    seconds: float = 0.0
    experimenter: bool = False
    comment: str = ""
    early_seconds: float = 0.0
    scale: str = ""


COLUMNS = tuple(field.name for field in fields(Vote))
