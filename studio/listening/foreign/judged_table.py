"""Judged table: the votes of a table that somebody brings, and what they say, by the same rules as those of a test.

Its method is told by its scores: two systems in a row and scores of 0 and 1 are a preference, of -3 to 3 a comparison; one system and
scores of 1 to 5 an opinion, up to 100 a rating on faders. Where scores fit several or none of these, a person says the method.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from studio.listening.foreign.score_cells import grade_of, preference_of
from studio.listening.foreign.stimulus_names import NameParts, parts_of_names
from studio.listening.foreign.table_columns import EACH_COLUMN, EACH_ROW, Columns, lacking_of, recognized_columns, score_columns
from studio.listening.foreign.table_file import TableFile
from studio.listening.plan.plan import PAIRED, SINGLE, Method
from studio.listening.plan.screening import UNPLANNED, Screening
from studio.listening.report.unreadable import VotesUnreadable
from studio.listening.report.votes_csv import SCORES
from studio.listening.screening.assessor import Admission
from studio.listening.statistics.findings import Findings
from studio.listening.vote.vote import Vote
from studio.words.line import Line

__all__ = ["Asked", "JudgedTable", "TableReading", "judged_table", "reading_of"]

MOST_SCORES = 50_000  # that are judged while somebody waits
MOST_SYSTEMS = 40  # every two of them are compared
USUAL_POINTS = 5
TOLD_POINTS = 9  # of a scale that begins at 1; one to 10 may as well begin at 0
MOST_SLIPS = 0.02  # of answers
MOST_POINTS = 10  # up to here scores are of a scale, beyond it of a fader
LEAST_FITTING = 0.9  # of the scores, within the bounds of a method
_MOST_NAME = 200  # characters
_BASELINE = "baseline"  # what a table compares with that does not say with what
_SAID = ("listener", "system", "text", "other", "scale")
_ROLES = {"anchor35": "lowpass-3.5", "anchor70": "lowpass-7", "hidden_reference": "reference", "hiddenreference": "reference"}


@dataclass(frozen=True)
class Asked:
    """What a person said about a table. columns: by role; method, scale: None and "" where they leave it to the table. rules: of screening;
    what a table does not say of its listeners is not held against them. counted: by hand."""

    columns: Mapping[str, str] = field(default_factory=dict)
    method: Method | None = None
    scale: str = ""
    seed: int = 0
    counted: Mapping[str, bool] = field(default_factory=dict)
    rules: Screening = UNPLANNED
    most_scores: int = MOST_SCORES

    @property
    def admission(self) -> Admission:
        """Who counts."""
        return Admission(self.rules, self.counted)


@dataclass(frozen=True)
class TableReading:
    """How a table is understood so far. lacking: roles of columns that nobody knows. methods: that its scores could be of.

    method: the one that was chosen, or the only one; None where a person has to say it. scales: of several questions in one table.
    least, most: of the scores that are numbers, None without one.
    """

    columns: Columns
    lacking: tuple[str, ...]
    methods: tuple[Method, ...] = ()
    method: Method | None = None
    scales: tuple[str, ...] = ()
    scale: str = ""
    least: float | None = None
    most: float | None = None
    answers: tuple["_TableAnswer", ...] = ()

    @property
    def points(self) -> int:
        """Of a scale that begins at 1, up to MOST_POINTS: as many as its answers say, where more than slips are beyond the usual 5."""
        scores = [one.score for one in self.answers if one.score is not None]
        return math.ceil(max((score for score in scores if 1 <= score <= MOST_POINTS), default=0)) if _is_longer(scores) else USUAL_POINTS

    @property
    def is_clear(self) -> bool:
        """Whether it can be judged."""
        return not self.lacking and self.method is not None


@dataclass(frozen=True)
class JudgedTable:
    """told: what was left out of the table, and what was guessed about it."""

    reading: TableReading
    votes: tuple[Vote, ...]
    findings: Findings
    told: tuple[Line, ...]


@dataclass(frozen=True)
class _TableAnswer:
    """One cell of a score with what belongs to it. score: None where the cell says none."""

    listener: str
    system: str
    text: str
    other: str
    scale: str
    cell: str
    score: float | None


def reading_of(table: TableFile, asked: Asked) -> TableReading:
    """Raises VotesUnreadable for more scores, or systems, than can be judged."""
    columns = recognized_columns(table, asked.columns)
    lacking = lacking_of(columns, table)
    if lacking:
        return TableReading(columns, lacking)
    answers = tuple(islice(_answers(table, columns), asked.most_scores + 1))
    if len(answers) > asked.most_scores:
        raise VotesUnreadable(
            hint="Split it into several tests, or use the command line.", sentence="votes_too_many", most=asked.most_scores
        )
    answers = _with_shared_texts(answers)
    scales = tuple(dict.fromkeys(one.scale for one in answers if one.scale))
    scale = asked.scale if asked.scale in scales else next(iter(scales), "")
    answers = tuple(one for one in answers if one.scale == scale)
    systems = {name for one in answers for name in (one.system, one.other) if name}
    if len(systems) > MOST_SYSTEMS:
        raise VotesUnreadable(sentence="votes_many_systems", found=len(systems), most=MOST_SYSTEMS)
    scores = [one.score for one in answers if one.score is not None]
    methods = _methods(scores, is_paired=bool(columns.other), systems=systems)
    method = asked.method or (methods[0] if len(methods) == 1 else None)
    known = TableReading(columns, (), methods, method, scales, scale, answers=answers)
    return replace(known, least=min(scores), most=max(scores)) if scores else replace(known, lacking=("score",))


def judged_table(table: TableFile, asked: Asked) -> JudgedTable:
    """Raises VotesUnreadable, also where columns or method are not clear."""
    from studio.listening.statistics.analysis import Beforehand, findings_of

    reading = reading_of(table, asked)
    method = reading.method
    if reading.lacking:
        raise VotesUnreadable(sentence="votes_columns_unclear", lacking=", ".join(reading.lacking), columns=", ".join(table.names)[:400])
    if method is None:
        raise _unclear(reading)
    votes, told = _votes(reading, method)
    labels = {name: name for vote in votes for name in (vote.system, vote.other) if name}
    chosen = Beforehand(asked.seed, scales={"": reading.points} if method in SINGLE and reading.points != USUAL_POINTS else {})
    return JudgedTable(reading, votes, findings_of(method, votes, labels, {}, chosen=chosen, admission=asked.admission), told)


# --- answers


def _answers(table: TableFile, columns: Columns) -> Iterator[_TableAnswer]:
    """One for each cell of a score, in the order of the table."""
    scored = score_columns(columns, table)
    at = {name: number for number, name in enumerate(table.names)}
    parts = _parts(table, columns, scored)
    fixed = {role: at.get(getattr(columns, role)) for role in _SAID}
    rows_of: Counter[str] = Counter()
    for number, row in enumerate(table.rows, start=1):
        said = {role: "" if cell is None else row[cell] for role, cell in fixed.items()}
        said |= {role: str(number) for role in _SAID if getattr(columns, role) == EACH_ROW}
        rows_of[said["listener"]] += 1
        for name in scored:
            told = said | {role: name for role in _SAID if getattr(columns, role) == EACH_COLUMN}
            if columns.system == columns.text:
                part = parts[told["system"]]
                is_named = part.system or columns.system != EACH_COLUMN
                told["text"] = part.text if is_named else str(rows_of[said["listener"]])
                told["system"] = part.system or (told["system"] if columns.system == EACH_COLUMN else columns.system)
            yield _answer(told, row[at[name]])


def _with_shared_texts(answers: tuple[_TableAnswer, ...]) -> tuple[_TableAnswer, ...]:
    """Where each file is of one system alone, as `old/001.wav` is, texts are what their names say besides, if they say the same systems."""
    systems_of: dict[str, str] = {}
    if any(systems_of.setdefault(one.text, one.system) != one.system for one in answers) or len(set(systems_of.values())) < 2:
        return answers
    parts = parts_of_names(list(systems_of))
    told = {(parts[text].system, system) for text, system in systems_of.items()}
    if len(told) != len(set(systems_of.values())) or len({name for name, _ in told}) != len(told):
        return answers
    return tuple(replace(one, text=parts[one.text].text) for one in answers)


def _parts(table: TableFile, columns: Columns, scored: tuple[str, ...]) -> Mapping[str, NameParts]:
    """Of the names that say both a system and a text."""
    if columns.system != columns.text:
        return {}
    return parts_of_names(scored if columns.system == EACH_COLUMN else table.column(columns.system))


def _answer(said: Mapping[str, str], cell: str) -> _TableAnswer:
    told = {role: value[:_MOST_NAME] for role, value in said.items()}
    system, other = (_ROLES.get(told[role].casefold(), told[role]) for role in ("system", "other"))
    score = preference_of(cell, said["system"], said["other"]) if other else grade_of(cell)
    return _TableAnswer(told["listener"], system, told["text"], other, told["scale"], cell, score)


# --- the method


def _methods(scores: Sequence[float], *, is_paired: bool, systems: Collection[str]) -> tuple[Method, ...]:
    """Those that the scores could be of. A few scores beyond the bounds, such as 99 for no answer, speak against none."""
    if not scores:
        return ()
    least, most = min(scores), max(scores)

    def fit(low: float, high: float) -> bool:
        return sum(low <= score <= high for score in scores) >= LEAST_FITTING * len(scores)

    if is_paired:
        is_preference = set(scores) <= {0, 0.5, 1} or set(scores) == {1, 2}
        return ("ab",) if is_preference else _of_differences(fit(-3, 3), is_short=set(scores) == {-1, 0, 1})
    if (fit(1, 5) and not _is_longer(scores)) or (fit(1, TOLD_POINTS) and most <= TOLD_POINTS and all(score % 1 == 0 for score in scores)):
        return ("mos",)
    if least < 0:
        return _of_differences(fit(-3, 3))
    on_faders: tuple[Method, ...] = ("mushra",) if "reference" in systems else ("mushra-like",)
    return on_faders if fit(0, 100) and most > MOST_POINTS else ()


def _is_longer(scores: Sequence[float]) -> bool:
    """Whether a scale that begins at 1 has more than the usual points."""
    beyond = sum(USUAL_POINTS < score <= MOST_POINTS for score in scores)
    return beyond > 1 and beyond > MOST_SLIPS * len(scores)


def _of_differences(fits: bool, *, is_short: bool = False) -> tuple[Method, ...]:
    return () if not fits else ("cmos", "ab") if is_short else ("cmos",)


# --- votes


def _votes(reading: TableReading, method: Method) -> tuple[tuple[Vote, ...], tuple[Line, ...]]:
    skipped: Counter[str] = Counter()
    votes: list[Vote] = []
    trials: dict[str, dict[object, int]] = {}
    recode, points = _recoding(reading, method), reading.points
    for number, one in enumerate(reading.answers):
        score = None if one.score is None else recode(one.score)
        reason = _why_not(one, score, method, points)
        if score is None or reason:
            skipped[reason] += 1
            continue
        own = trials.setdefault(one.listener, {})
        trial = own.setdefault(one.text if method in ("mushra", "mushra-like") else number, len(own))
        other = (one.other or _BASELINE) if method in PAIRED else ""
        votes.append(Vote(method, one.listener, trial, "item", one.text, one.system, other, score))
    if not votes:
        raise (_unclear(reading) if skipped["outside"] else VotesUnreadable(sentence="votes_none"))
    return tuple(votes), (*_told(reading, votes, method), *(Line(f"judge_skipped_{reason}", {"n": n}) for reason, n in skipped.items()))


def _why_not(one: _TableAnswer, score: float | None, method: Method, points: int) -> str:
    """Key of what keeps an answer from being a vote; "" where nothing does."""
    if not one.listener or not one.system:
        return "nobody"
    if score is None:
        return "not_number" if one.cell else "empty"
    least, most, step = SCORES[method]
    most = max(most, points) if method in SINGLE else most
    is_step = not step or method == "cmos" or score % step == 0  # a mean of several comparisons is one, too
    return "" if least <= score <= most and is_step and one.system != one.other else "outside"


def _recoding(reading: TableReading, method: Method) -> Callable[[float], float]:
    """Of preferences that are not written as 1, 0.5 and 0: 1 and 2 for the first and the second; 1, 0 and -1."""
    if method == "ab" and (reading.least, reading.most) == (1, 2):
        return lambda score: 2 - score
    if method == "ab" and reading.least == -1:
        return lambda score: (score + 1) / 2
    return lambda score: score


def _told(reading: TableReading, votes: Sequence[Vote], method: Method) -> Iterator[Line]:
    """What was guessed."""
    columns = reading.columns
    if columns.system == columns.text:
        yield Line("judge_guessed", {"systems": list(dict.fromkeys(vote.system for vote in votes))})
    if len(reading.scales) > 1:
        yield Line("judge_scales", {"scale": reading.scale, "others": [name for name in reading.scales if name != reading.scale]})
    if method in PAIRED and not columns.other:
        yield Line("judge_baseline")


def _unclear(reading: TableReading) -> VotesUnreadable:
    return VotesUnreadable(sentence="votes_method_unclear", least=reading.least, most=reading.most)
