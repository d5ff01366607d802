"""Votes in a file, for `test report` without a test. Their figures are those that a test of the studio gets."""

from pathlib import Path
from typing import TYPE_CHECKING

from studio.listening.plan.plan import Method
from studio.listening.report.unreadable import VotesUnreadable
from studio.listening.report.votes_csv import read_votes_csv
from studio.listening.vote.vote import Vote

if TYPE_CHECKING:
    from studio.listening.statistics.findings import Findings

__all__ = ["read_votes_file"]

MOST_BYTES = 256 << 20


def read_votes_file(file: Path, method: Method | None, seed: int) -> tuple[tuple[Vote, ...], "Findings"]:
    """The votes of one method, and what they say. method: of a table that does not say it, or that holds several.

    A system that is called as a role is (`reference`, `lowpass-3.5`, ...) has that role. Raises VotesUnreadable, OSError.
    """
    from studio.listening.statistics.analysis import Beforehand, findings_of

    votes = read_votes_csv(_text(file), method=method)
    methods: dict[Method, None] = dict.fromkeys(vote.method for vote in votes)
    if method is None and len(methods) > 1:
        raise VotesUnreadable(
            f"The table holds votes of several methods: {', '.join(methods)}.",
            "Say which one is meant: --method.",
            sentence="votes_mixed",
            methods=", ".join(methods),
        )
    chosen = method or next(iter(methods))
    votes = tuple(vote for vote in votes if vote.method == chosen)
    if not votes:
        raise VotesUnreadable(f"The table holds no votes of the method {chosen}.", "Choose another one.", sentence="votes_none")
    labels = {name: name for vote in votes for name in (vote.system, vote.other) if name}
    return votes, findings_of(chosen, votes, labels, {}, chosen=Beforehand(seed))


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise VotesUnreadable(
            f"{file.name} is larger than {MOST_BYTES >> 20} MiB.",
            "Split it into several tests.",
            sentence="votes_too_large",
            most=MOST_BYTES,
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise VotesUnreadable(f"{file.name} is no text in UTF-8.", "Save it as CSV in UTF-8.", sentence="votes_no_text") from error
