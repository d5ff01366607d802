"""Result tables of a report: systems by figures, pairs, languages and kinds of texts, speed and memory, steadiness. "" without rows.

Bold is what is beyond chance: a system that is better than another one by a figure, while no other is better than it.
"""

from collections.abc import Callable, Mapping, Sequence

from studio.evaluations.plan.evaluation import EvaluationData, WordFloor
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.report.report_words import NARROW, NONE, ReportWords
from studio.evaluations.statistics.findings import EvaluationFindings, PairComparison, PartMean, SystemSummary
from studio.reports.markup import Markup, TableColumn, element, joined, table

__all__ = [
    "also_table",
    "best_of",
    "headed",
    "judged_figures",
    "kinds_tables",
    "language_tables",
    "pairs_table",
    "steady_table",
    "systems_table",
]

NO_BREAK = "\u00a0"


def judged_figures(findings: EvaluationFindings) -> list[str]:
    """Those that were measured."""
    return [name for name in findings.figures if figure_kind(name).is_judged]


def best_of(pairs: Sequence[PairComparison], figure: str) -> frozenset[str]:
    """Ids of systems that are better than one of the others, beyond chance, and none of which another is better than."""
    clear = [pair for pair in pairs if pair.figure == figure and pair.better is not None]
    return frozenset(str(pair.better) for pair in clear) - {str(pair.worse) for pair in clear}


def systems_table(findings: EvaluationFindings, words: ReportWords) -> Markup:
    """A row for each system: the mean of each judged figure over its range."""
    systems = findings.systems
    columns = [_names(systems, words)]
    for figure in judged_figures(findings):
        best = best_of(findings.pairs, figure)
        columns.append(TableColumn(headed(figure, words), [_mean(findings, system.system, figure, words, best=best) for system in systems]))
    columns += [
        TableColumn(words.say("report_sounds", {}), [words.number(system.n) for system in systems]),
        TableColumn(words.say("report_refused", {}), [words.number(system.n_refused) if system.n_refused else "" for system in systems]),
    ]
    return table(words.say("report_results", {}), columns if systems else [])


def also_table(findings: EvaluationFindings, words: ReportWords) -> Markup:
    """What systems are not compared by: means, and half and 95 of 100 of the sounds."""
    figures = [name for name in findings.figures if not figure_kind(name).is_judged]
    found = [(mean, name) for name in figures for mean in findings.means if mean.figure == name]
    labels = {system.system: label_of(system, words) for system in findings.systems}
    columns = [TableColumn(words.say("report_figure_name", {}), [words.name(name) for name in figures], figures=False)]
    by_place = {(mean.system, name): mean for mean, name in found}
    for system, label in labels.items():
        means = [by_place.get((system, name)) for name in figures]
        columns.append(TableColumn(label, [mean and words.figure(mean.figure, mean.mean) for mean in means]))
    columns.append(TableColumn(words.say("report_about", {}), [_about(name, words) for name in figures], figures=False))
    return table(words.say("report_also", {}), columns if found else [])


def pairs_table(findings: EvaluationFindings, words: ReportWords, *, of_these_voices: bool = False) -> Markup:
    """A row for each two systems: how far apart they are by each figure, with the range that decides. of_these_voices: see voice_pairs."""
    labels = {system.system: system.label for system in findings.systems}
    found = {(pair.system, pair.other, pair.figure): pair for pair in (findings.voice_pairs if of_these_voices else findings.pairs)}
    compared = list(dict.fromkeys((one, other) for one, other, _ in found))
    names = [words.say("report_pair", {"system": labels[one], "other": labels[other]}) for one, other in compared]
    columns = [TableColumn(words.say("report_systems", {}), names, figures=False)]
    for figure in judged_figures(findings):
        pairs = [found.get((one, other, figure)) for one, other in compared]
        columns.append(TableColumn(headed(figure, words), [pair and compared_cell(pair, words) for pair in pairs]))
    return table(words.say("report_voice_pairs" if of_these_voices else "report_pairs", {}), columns if compared else [])


def compared_cell(pair: PairComparison, words: ReportWords) -> Markup:
    """Bold where chance does not make it."""
    is_ratio = pair.ratio is not None
    shown = words.difference(pair.figure, pair.ratio if is_ratio else pair.difference, is_ratio=is_ratio)
    return _over(shown, words.difference_range(pair.figure, pair.low_all, pair.high_all, is_ratio=is_ratio), is_bold=pair.is_clear)


def language_tables(data: EvaluationData, findings: EvaluationFindings, words: ReportWords) -> Markup:
    """A table for each judged figure; beside wrong words those of the recognizer itself. Only where there are several languages."""
    floors = {floor.language: floor for floor in data.floors}

    def extra(figure: str) -> list[TableColumn]:
        known = [floors.get(language) for language in findings.languages]
        if figure != "wrong_words" or not any(known):
            return []
        return [TableColumn(words.say("report_floor", {}), [floor and _floor(floor, words) for floor in known])]

    def best(figure: str, language: str) -> frozenset[str]:
        return best_of([pair for pair in findings.language_pairs if pair.language == language], figure)

    if len(findings.languages) < 2:
        return Markup("")
    spoken = {language: words.spoken(language) or NONE for language in findings.languages}
    return _part_tables(findings, words, (spoken, "report_language"), lambda mean: mean.by_language, (best, extra))


def kinds_tables(findings: EvaluationFindings, words: ReportWords) -> Markup:
    """The same by kind of text, where the list of texts says any; nothing is bold in it, since nothing is compared by kind."""
    if len(findings.kinds) < 2:
        return Markup("")
    kinds = {kind: words.kind(kind) for kind in findings.kinds}
    return _part_tables(findings, words, (kinds, "report_kind"), lambda mean: mean.by_kind, (lambda *_: frozenset(), lambda _: []))


def _part_tables(
    findings: EvaluationFindings,
    words: ReportWords,
    parts: tuple[Mapping[str, str], str],
    means_of: Callable,
    beside: tuple[Callable[[str, str], frozenset[str]], Callable[[str], list[TableColumn]]],
) -> Markup:
    names, title = parts
    best_in, extra = beside
    tables = []
    for figure in judged_figures(findings):
        columns = [TableColumn(words.say(title, {}), list(names.values()), figures=False)]
        best = {part: best_in(figure, part) for part in names}
        for system in findings.systems:
            mean = findings.mean(system.system, figure)
            found = means_of(mean) if mean else {}
            bold = {part for part in names if system.system in best[part]}
            cells = [_part_cell(figure, found[part], words, is_bold=part in bold) if part in found else None for part in names]
            columns.append(TableColumn(label_of(system, words), cells))
        made = table(words.name(figure), [*columns, *extra(figure)])
        if made:
            tables.append(element("div", joined([element("h3", headed(figure, words)), made]), class_="part"))
    return element("div", joined(tables), class_="parts") if tables else Markup("")


def steady_table(findings: EvaluationFindings, words: ReportWords) -> Markup:
    """How much of each figure changes with the seed alone, and how often words are right with one and wrong with another."""
    steady = findings.steadiness
    labels = {system.system: label_of(system, words) for system in findings.systems}
    figures = [name for name in judged_figures(findings) if any(name in one.deviations for one in steady)]
    unsteady = [
        words.say("report_unsteady_of", {"n": one.n_unsteady, "of": one.n_words}) if one.n_words and not one.is_same else ""
        for one in steady
    ]
    columns = [
        TableColumn(words.say("report_system", {}), [labels[one.system] for one in steady], figures=False),
        TableColumn(words.say("report_same", {}), [words.say("report_yes", {}) if one.is_same else "" for one in steady], figures=False),
        TableColumn(words.say("report_unsteady", {}), unsteady),
        *(
            TableColumn(headed(name, words), [None if one.is_same else _deviation(name, one.deviations.get(name), words) for one in steady])
            for name in figures
        ),
    ]
    return table(words.say("report_steady", {}), columns if steady else [])


def label_of(system: SystemSummary, words: ReportWords) -> str:
    """What is made of random weights says so wherever it stands."""
    return words.say("report_toy_label", {"system": system.label}) if system.is_toy else system.label


def _names(systems: Sequence[SystemSummary], words: ReportWords) -> TableColumn:
    return TableColumn(words.say("report_system", {}), [label_of(system, words) for system in systems], figures=False)


def headed(figure: str, words: ReportWords) -> str:
    """With its unit, and an arrow to the better side, which stands on the line of what is before it."""
    arrow = {"more": f"{NO_BREAK}↑", "less": f"{NO_BREAK}↓", "none": ""}[figure_kind(figure).better]
    unit = words.unit(figure)
    return f"{words.name(figure)}{f' ({unit})' if unit else ''}{arrow}"


def _mean(findings: EvaluationFindings, system: str, figure: str, words: ReportWords, *, best: frozenset[str]) -> Markup | None:
    mean = findings.mean(system, figure)
    if mean is None:
        return None
    decimals = figure_kind(figure).decimals
    return _over(words.number(mean.mean, decimals), words.range(figure, mean.low, mean.high), is_bold=system in best)


def _part_cell(figure: str, part: PartMean, words: ReportWords, *, is_bold: bool) -> Markup:
    return _over(words.number(part.mean, figure_kind(figure).decimals), words.range(figure, part.low, part.high), is_bold=is_bold)


def _over(shown: str, range_: str, *, is_bold: bool) -> Markup:
    """A figure above its range."""
    return joined([element("b" if is_bold else "span", shown), element("small", range_) if range_ else ""], " ")


def _floor(floor: WordFloor, words: ReportWords) -> Markup:
    """As it was measured here, and of how many words; else as published."""
    if floor.measured is not None:
        return _over(words.percent(floor.measured), words.say("report_floor_measured", {"n": floor.n_words}), is_bold=False)
    return _over(
        words.percent(floor.published), words.say("report_floor_published", {}) if floor.published is not None else "", is_bold=False
    )


def _deviation(figure: str, value: float | None, words: ReportWords) -> str | None:
    return None if value is None else f"±{NARROW}{words.number(value, figure_kind(figure).decimals)}"


def _about(figure: str, words: ReportWords) -> str:
    try:
        return words.say(f"about_{figure}", {})
    except KeyError:
        return ""
