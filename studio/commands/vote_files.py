"""Votes in a file, for `test report` without a test. Their figures are those that a test of the studio gets."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from studio.listening.plan.plan import Method
from studio.listening.plan.screening import UNPLANNED, USUAL, Screening
from studio.listening.report.plan_file import bounded, parsed
from studio.listening.report.unreadable import PlanFileUnreadable, VotesUnreadable
from studio.listening.report.votes_csv import read_votes_csv
from studio.listening.screening.assessor import Admission
from studio.listening.vote.vote import Vote

if TYPE_CHECKING:
    from studio.listening.statistics.findings import Findings

__all__ = ["read_votes_file", "screening_asked"]

MOST_BYTES = 256 << 20


def screening_asked(file: Path | None, least_agreement: float | None) -> Screening:
    """The rules of a file: those of a plan (its `screening`, or the usual ones of a plan without), or a table of rules alone; without a
    file none but those that every test has. least_agreement: goes before the file's. Raises PlanFileUnreadable, OSError."""
    fields = parsed(bounded(file)) if file is not None else {}
    told = fields.get("screening", USUAL.model_dump()) if "method" in fields else fields
    rules = told | {"least_agreement": least_agreement} if isinstance(told, dict) and least_agreement is not None else told
    try:
        return Screening.model_validate(rules)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise PlanFileUnreadable(
            f"The screening: {place or 'as a whole'}: {first['msg']}.", f"Rules: {', '.join(Screening.model_fields)}.", place
        ) from error


def read_votes_file(file: Path, method: Method | None, seed: int, rules: Screening = UNPLANNED) -> tuple[tuple[Vote, ...], "Findings"]:
    """The votes of one method, and what they say. method: of a table that does not say it, or that holds several.

    A system that is called as a role is (`reference`, `lowpass-3.5`, ...) has that role. rules: of screening; what a table does not say of
    its listeners (headphones, devices) is not held against them. Raises VotesUnreadable, OSError.
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
    return votes, findings_of(chosen, votes, labels, {}, chosen=Beforehand(seed), admission=Admission(rules))


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
