"""QueuedLine: a line that waits to be said. The queue of a script is on disk, and goes on after a restart."""

from dataclasses import dataclass

from studio.scripts.script.mend import LineMend

__all__ = ["QueuedLine"]


@dataclass(frozen=True)
class QueuedLine:
    """n_takes: how many are still to be said; 0 where only the ears are to choose. best: whether the ears choose. seed: of the first take;
    None for any. force: also where the chosen take is not stale. choose: whether its take is the one that is heard from then on.
    mend: words of a take that are made anew, in place of a line that is said.
    """

    line_id: str
    n_takes: int = 1
    best: bool = False
    seed: int | None = None
    force: bool = False
    choose: bool = True
    mend: LineMend | None = None
