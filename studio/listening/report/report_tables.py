"""Tables of a report: systems, pairs, listeners, sounds, comments. A table is "" where it has no rows."""

from collections.abc import Callable, Sequence

from studio.listening.keep.test import FormCount
from studio.listening.plan.plan import PAGES
from studio.listening.report.names import compared, conditions_of, labels_of, name_of_role, reason_of
from studio.listening.report.reported_test import ReportedTest
from studio.listening.statistics.findings import Findings
from studio.listening.vote.vote import Vote
from studio.reports.markup import Markup, TableColumn, element, table
from studio.words.line import Say

__all__ = ["comments_table", "form_table", "heard_table", "items_table", "listeners_table", "pairs_table", "systems_table"]

LEAST_P = 0.001  # below, only that it is


def systems_table(findings: Findings, say: Say) -> Markup:
    """A row for each system, reference and anchors among them."""
    systems, figure = findings.systems, _figures(say, 2 if findings.method not in PAGES else 1)
    labels = labels_of(findings, say)
    columns = [
        TableColumn(say("report_system", {}), [labels[one.system] for one in systems], figures=False),
        TableColumn(say("report_rank", {}), [figure(one.rank) for one in systems]),
        TableColumn(say("report_mean", {}), [figure(one.mean) for one in systems]),
        TableColumn(say("report_range", {}), [_range(figure, one.low, one.high, say) for one in systems]),
        TableColumn(say("report_median", {}), [figure(one.median) for one in systems]),
        TableColumn(say("report_strength", {}), [figure(one.strength) for one in systems]),
        TableColumn(say("report_range", {}), [_range(figure, one.strength_low, one.strength_high, say) for one in systems]),
        TableColumn(say("report_n", {}), [figure(one.n) for one in systems]),
    ]
    return table(say("report_results", {}), columns if systems else [])


def pairs_table(findings: Findings, say: Say) -> Markup:
    """A row for each two that were compared."""
    pairs, figure = findings.pairs, _figures(say, 2 if findings.method not in PAGES else 1)
    percent = _percents(say)
    is_alone, all_counted = len(pairs) < 2, say("report_range_all", {})
    columns = [
        TableColumn(
            say("report_system", {}),
            [say("report_pair", {"system": one, "other": other}) for one, other in compared(findings, say)],
            figures=False,
        ),
        TableColumn(say("report_right" if findings.method == "abx" else "report_share", {}), [percent(one.share) for one in pairs]),
        TableColumn(say("report_range", {}), [_range(percent, one.share_low, one.share_high, say) for one in pairs]),
        *_all_counted(
            is_alone, [_range(percent, one.share_low_all, one.share_high_all, say) for one in pairs], say("report_range_all", {})
        ),
        TableColumn(say("report_difference", {}), [figure(one.difference) for one in pairs]),
        TableColumn(say("report_range", {}), [_range(figure, one.low, one.high, say) for one in pairs]),
        *_all_counted(is_alone, [_range(figure, one.low_all, one.high_all, say) for one in pairs], all_counted),
        TableColumn(say("report_ties", {}), [figure(one.ties or None) if findings.method == "ab" else None for one in pairs]),
        TableColumn(say("report_n", {}), [figure(one.n) for one in pairs]),
        TableColumn(say("report_p", {}), [_p(one.p, say) for one in pairs]),
        *_all_counted(is_alone, [_p(one.p_all, say) for one in pairs], say("report_p_all", {})),
    ]
    return table(say("report_pairs", {}), columns if pairs else [])


def _all_counted(is_alone: bool, cells: list[str | None], title: str) -> list[TableColumn]:
    """What decides where there are several pairs; of one it is what stands before."""
    return [] if is_alone else [TableColumn(title, cells)]


def listeners_table(findings: Findings, say: Say) -> Markup:
    """Who was counted and who not, with the reasons; reasons of who counts are doubts, or overruled by hand."""
    listeners = findings.listeners
    columns = [
        TableColumn(say("report_listener", {}), [one.listener for one in listeners], figures=False),
        TableColumn(say("report_counts", {}), [say("report_yes" if one.counts else "report_no", {}) for one in listeners], figures=False),
        TableColumn(
            say("report_reason", {}),
            [" ".join(reason_of(reason, say) for reason in one.exclusions) for one in listeners],
            figures=False,
        ),
        TableColumn(say("listened_with", {}), [conditions_of(one, say) for one in listeners], figures=False),
        TableColumn(say("report_n", {}), [_figures(say, 0)(one.n) for one in listeners]),
    ]
    return table(say("report_listeners", {}), columns if listeners else [])


def heard_table(findings: Findings, say: Say) -> Markup:
    """Of ABX: who heard a difference, with all listeners counted."""
    heard, figure = findings.who_heard, _figures(say, 0)
    columns = [
        TableColumn(say("report_listener", {}), [one.listener for one in heard], figures=False),
        TableColumn(say("report_right", {}), [figure(one.right) for one in heard]),
        TableColumn(say("report_n", {}), [figure(one.n) for one in heard]),
        TableColumn(say("report_p", {}), [_p(one.p, say) for one in heard]),
        TableColumn(say("report_p_listeners", {}), [_p(one.p_all, say) for one in heard]),
        TableColumn(say("report_heard_it", {}), [say("report_yes" if one.is_clear else "report_no", {}) for one in heard], figures=False),
    ]
    return table(say("report_heard", {}), columns if heard else [])


def items_table(test: ReportedTest, findings: Findings, say: Say) -> Markup:
    """What was heard: each sound with its hash, what was done to its loudness, and what made it."""
    labels = {system.id: system.label or system.id for system in test.plan.systems} | labels_of(findings, say)
    items, figure = sorted(test.items, key=lambda item: item.text), _figures(say, 1)
    names = [labels.get(item.system, item.system) if item.role == "system" else name_of_role(item.role, say) for item in items]
    columns = [
        TableColumn(say("report_text", {}), [str(item.text + 1) for item in items]),
        TableColumn(say("report_system", {}), names, figures=False),
        TableColumn(say("report_seconds", {}), [figure(item.seconds) for item in items]),
        TableColumn(say("report_gain", {}), [figure(item.gain_db) for item in items]),
        TableColumn(say("report_lufs", {}), [figure(item.lufs) for item in items]),
        TableColumn(say("report_bandwidth", {}), [figure(item.bandwidth_hz / 1000) for item in items]),
        TableColumn(say("report_build", {}), [item.build for item in items], figures=False),
        TableColumn(say("report_sha256", {}), [element("code", item.sha256) for item in items], figures=False),
    ]
    return table(say("report_items", {}), columns if items else [])


def comments_table(findings: Findings, votes: Sequence[Vote], say: Say) -> Markup:
    """Each once, whatever number of votes its trial has."""
    said = list({(vote.listener, vote.trial): vote for vote in votes if vote.comment.strip()}.values())
    columns = [
        TableColumn(say("report_listener", {}), [vote.listener for vote in said], figures=False),
        TableColumn(say("report_text", {}), [vote.text for vote in said], figures=False),
        TableColumn(say("report_system", {}), [_judged(findings, vote, say) for vote in said], figures=False),
        TableColumn(say("report_comment", {}), [vote.comment for vote in said], figures=False),
    ]
    return table(say("report_comments", {}), columns if said else [])


def form_table(counts: Sequence[FormCount], say: Say) -> Markup:
    """What a panel said of itself, as counts alone. A row for each question."""
    figure = _figures(say, 1)
    columns = [
        TableColumn(say("report_form", {}), [one.text for one in counts], figures=False),
        TableColumn(say("report_n", {}), [_figures(say, 0)(one.n) for one in counts]),
        TableColumn("", [_said(one, figure, say) for one in counts], figures=False),
    ]
    return table(say("report_form", {}), columns if counts else [])


def _said(one: FormCount, figure: Callable[[float | None], str], say: Say) -> str:
    if one.mean is not None:
        return say("report_form_numbers", {"mean": figure(one.mean), "low": figure(one.low), "high": figure(one.high)})
    return "; ".join(say("report_form_choice", {"choice": choice, "n": n}) for choice, n in one.choices)


def _judged(findings: Findings, vote: Vote, say: Say) -> str:
    """What a comment is about: of MUSHRA the whole page."""
    labels = labels_of(findings, say)
    if vote.method in PAGES:
        return ""
    if vote.other:
        return say("report_pair", {"system": labels.get(vote.system, vote.system), "other": labels.get(vote.other, vote.other)})
    return labels.get(vote.system, vote.system)


def _figures(say: Say, decimals: int) -> Callable[[float | None], str]:
    """What writes a number as its language does; "" for None."""
    return lambda value: "" if value is None else say("report_figure", {"value": round(value, decimals)})


def _percents(say: Say) -> Callable[[float | None], str]:
    return lambda share: "" if share is None else say("report_percent", {"value": round(100 * share)})


def _range(written: Callable[[float | None], str], low: float | None, high: float | None, say: Say) -> str:
    return "" if low is None or high is None else say("report_from_to", {"low": written(low), "high": written(high)})


def _p(p: float | None, say: Say) -> str:
    if p is None:
        return ""
    return say("report_below", {"value": LEAST_P}) if p < LEAST_P else say("report_figure", {"value": round(p, 3)})
