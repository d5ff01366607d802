"""Sounds section of a report: every sound beside its figures, the worst first; what one voice says of one text stands together.

Players stand in `noscript`: who runs no script has them all at once; the page's script makes each when somebody comes near it, since a
thousand of them take a browser a second.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from studio.analysis.heard_words import WordRun, word_differences
from studio.evaluations.plan.cell import CellKey, EvaluatedCell, KeptSound
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.plan.plan import EvaluationText
from studio.evaluations.report.report_words import NARROW, ReportWords
from studio.evaluations.statistics.cell_table import value_of
from studio.evaluations.statistics.findings import EvaluationFindings
from studio.reports.markup import Markup, chips, element, joined

__all__ = ["MOST_SOUNDS", "SHOWN", "SoundOf", "sounds_content"]

SoundOf = Callable[[CellKey, KeptSound], str]  # relative address of a sound
# On one page; a browser takes seconds for more. CSV and the folder have all.
MOST_SOUNDS = 3000
ON_PAPER = 50  # texts in a voice, which evaluation_style.py prints
# Figures beside a sound. The first that was measured says which are worst, the others where it is the same.
SHOWN = ("wrong_words", "likeness", "distillmos", "dnsmos")


@dataclass(frozen=True)
class _Group:
    """What one voice says of one text: cells by system and seed, as the plan has them. order: its place in the plan."""

    voice: str
    text: EvaluationText
    cells: tuple[EvaluatedCell, ...]
    order: int

    def worst(self, figure: str, toys: frozenset[str]) -> float | None:
        """Of its sounds, toys apart, of which nobody expects more."""
        values = [value for cell in self.cells if cell.key.system not in toys and (value := value_of(cell, figure)) is not None]
        if not values:
            return None
        return min(values) if figure_kind(figure).better == "more" else max(values)


@dataclass(frozen=True)
class _Shown:
    """How cells are shown. figures: of SHOWN, those that any has."""

    words: ReportWords
    labels: Mapping[str, str]
    voices: Mapping[str, str]
    sound_of: SoundOf
    figures: tuple[str, ...]
    toys: frozenset[str]
    has_seeds: bool
    names: Mapping[str, str]

    def group(self, group: _Group) -> Markup:
        text = group.text
        told = [
            (self.voices[group.voice], ""),
            (self.words.spoken(text.language), ""),
            (self.words.kind(text.kind) if text.kind else "", ""),
        ]
        head = element("h3", text.text, dir="auto", **({"lang": text.language} if text.language else {}))
        rows = element("ul", joined([self.row(cell, text) for cell in group.cells], ""))
        return element("article", joined([head, chips(told), rows], ""), **self._data(group))

    def _data(self, group: _Group) -> dict[str, str]:
        """What the page's script sorts and chooses by. A refusal is shown with the faults."""
        worst = {name: group.worst(name, self.toys) for name in self.figures}
        data = {f"data_{name}": f"{value:g}" for name, value in worst.items() if value is not None}
        is_faulty = any(cell.said.refused or cell.said.warning or (value_of(cell, "wrong_words") or 0.0) > 0 for cell in group.cells)
        data |= {"data_plan": str(group.order), "data_voice": group.voice, "data_language": group.text.language or ""}
        return data | ({"data_faulty": "1"} if is_faulty else {})

    def row(self, cell: EvaluatedCell, text: EvaluationText) -> Markup:
        said, label = cell.said, self.labels[cell.key.system]
        who = f"{label} · {self.words.say('report_seed_of', {'seed': str(cell.key.seed)})}" if self.has_seeds else label
        parts = [element("b", who, dir="auto")]
        if said.sound is not None:
            address = self.sound_of(cell.key, said.sound)
            player = element("audio", preload="none", controls="", src=address, aria_label=who)
            parts.append(element("span", element("noscript", player), class_="player"))
            parts.append(element("span", joined(list(self._figures(cell, said.sound)), ""), class_="fs"))
        if said.refused is not None:
            parts.append(element("p", self.words.say("report_refused_why", {"why": said.refused.get("message", "")}), class_="care"))
        if said.warning:
            parts.append(element("p", said.warning, class_="care"))
        heard = self._heard(cell, text)
        return element("li", joined([*parts, heard], ""))

    def _figures(self, cell: EvaluatedCell, sound: KeptSound) -> Iterator[Markup]:
        for name in self.figures:
            value = value_of(cell, name)
            shown = self.words.figure(name, value)
            is_wrong = name == "wrong_words" and value
            yield joined(
                [Markup("<span>"), element("i", self.names[name]), element("em", shown) if is_wrong else shown, Markup("</span>")], ""
            )
        yield joined(
            [Markup("<span>"), element("i", self.names[""]), f"{self.words.number(sound.seconds, 1)}{NARROW}s", Markup("</span>")], ""
        )

    def _heard(self, cell: EvaluatedCell, text: EvaluationText) -> Markup:
        """Where a word is wrong: all that was heard, with what was lost and what was added."""
        heard = cell.measures.heard if cell.measures else None
        if heard is None or not value_of(cell, "wrong_words"):
            return Markup("")
        between = "" if text.language and text.language.partition("-")[0] in ("zh", "ja", "th") else " "
        runs = joined([_marked(run) for run in _runs(text.text, heard, text.language)], between)
        said = runs or self.words.say("report_heard_nothing", {})
        return element("p", said, class_="heard", dir="auto", **({"lang": text.language} if text.language else {}))


def sounds_content(data: EvaluationData, findings: EvaluationFindings, words: ReportWords, sound_of: SoundOf) -> Markup:
    """ "" where nothing was said."""
    if not data.cells:
        return Markup("")
    shown, groups = _shown(data, findings, words, sound_of), _groups(data)
    groups.sort(key=lambda group: _badness(group, shown))
    kept, n_sounds = [], 0
    for group in groups:
        n_sounds += len(group.cells)
        if kept and n_sounds > MOST_SOUNDS:
            break
        kept.append(group)
    n_left_out = sum(len(group.cells) for group in groups[len(kept) :])
    by = [words.name(name) for name in shown.figures]
    parts = [
        element("p", words.say("report_worst_first", {"figures": tuple(by)}) if by else words.say("report_as_planned", {})),
        _legend(words) if "wrong_words" in shown.figures else "",
        element("p", words.say("report_left_out", {"n": n_left_out}), class_="care") if n_left_out else "",
        element("p", words.say("report_on_paper", {}), class_="paper") if len(kept) > ON_PAPER else "",
        _form(data, shown, words),
        element("div", joined([shown.group(group) for group in kept]), id="sounds"),
    ]
    return joined(parts)


def _shown(data: EvaluationData, findings: EvaluationFindings, words: ReportWords, sound_of: SoundOf) -> _Shown:
    figures = tuple(name for name in SHOWN if name in findings.figures)
    plan = data.evaluation.plan
    return _Shown(
        words,
        {
            system.system: words.say("report_toy_label", {"system": system.label}) if system.is_toy else system.label
            for system in findings.systems
        },
        {voice.id: voice.label for voice in plan.voices},
        sound_of,
        figures,
        frozenset(system.system for system in findings.systems if system.is_toy),
        len(plan.seeds) > 1,
        {name: words.name(name) for name in figures} | {"": words.say("report_length", {})},
    )


def _groups(data: EvaluationData) -> list[_Group]:
    texts = {text.id: text for text in data.evaluation.plan.texts}
    cells: dict[tuple[str, str], list[EvaluatedCell]] = {}
    for cell in data.cells:
        cells.setdefault((cell.key.voice, cell.key.text), []).append(cell)
    return [_Group(voice, texts[text], tuple(some), order) for order, ((voice, text), some) in enumerate(cells.items())]


def _badness(group: _Group, shown: _Shown) -> tuple[float, ...]:
    """Smaller is worse. Where nobody measured, it stands at the end."""
    values = []
    for name in shown.figures:
        worst = group.worst(name, shown.toys)
        values.append(float("inf") if worst is None else worst if figure_kind(name).better == "more" else -worst)
    return (*values, group.order)


@lru_cache(8192)
def _runs(written: str, heard: str, language: str | None) -> tuple[WordRun, ...]:
    return word_differences(written, heard, language).runs


def _marked(run: WordRun) -> Markup | str:
    if run.kind == "same":
        return run.heard
    parts = [element("del", run.wanted) if run.wanted else "", element("ins", run.heard) if run.heard else ""]
    return joined(parts, " ")


def _legend(words: ReportWords) -> Markup:
    lost, added = (element(name, words.say(key, {})) for name, key in (("del", "report_lost"), ("ins", "report_added")))
    return element("p", joined([words.say("report_marks", {}), lost, added], " "), class_="legend")


def _form(data: EvaluationData, shown: _Shown, words: ReportWords) -> Markup:
    """For the page's script, which shows it."""
    plan = data.evaluation.plan
    languages = list(dict.fromkeys(text.language or "" for text in plan.texts))
    everyone = [("", words.say("report_all", {}))]
    choices: Sequence[tuple[str, str, Sequence[tuple[str, str]]]] = (
        (
            "order",
            "report_order",
            [
                *(
                    (f"{'-' if figure_kind(name).better == 'less' else ''}{name.replace('_', '-')}", shown.names[name])
                    for name in shown.figures
                ),
                ("plan", words.say("report_order_plan", {})),
            ],
        ),
        ("voice", "report_voice", [*everyone, *((voice.id, voice.label) for voice in plan.voices)]),
        ("language", "report_language", [*everyone, *((code, words.spoken(code)) for code in languages if code)]),
        ("faulty", "report_show", [*everyone, ("1", words.say("report_faulty", {}))]),
    )
    fields = [
        element("label", joined([words.say(title, {}), _select(name, options)], " "))
        for name, title, options in choices
        if len(options) > 1
    ]
    return element("form", joined([*fields, element("output", "", aria_live="polite")]), id="choose", hidden="")


def _select(name: str, options: Sequence[tuple[str, str]]) -> Markup:
    return element("select", joined([element("option", label, value=value, dir="auto") for value, label in options], ""), name_=name)
