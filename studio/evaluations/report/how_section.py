"""How section of a report: method in plain words, and all that somebody needs who wants to do it again."""

import json
from collections.abc import Mapping

from studio import __version__
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.report.report_words import ReportWords
from studio.evaluations.report.result_tables import label_of
from studio.evaluations.statistics.findings import EvaluationFindings
from studio.reports.dates import day
from studio.reports.markup import Markup, TableColumn, element, facts, joined, table

__all__ = ["how_content"]


def how_content(data: EvaluationData, findings: EvaluationFindings, words: ReportWords, files: Mapping[str, str]) -> Markup:
    """files: name -> relative address, of the same findings for programs."""
    say, plan = words.say, data.evaluation.plan
    families = {figure_kind(name).family for name in findings.figures}
    methods = [say("report_method_design", {})]
    methods += [say(f"report_method_{name}", {"recognizer": data.recognizer}) for name in _METHODS if name in families]
    methods += [say("report_method_statistics", {})] if findings.pairs else []
    links = joined([element("a", name, href=address, download="") for name, address in files.items()], ", ")
    parts = [
        *(element("p", method) for method in methods),
        _builds(data, findings, words),
        facts(
            [
                (say("report_machine", {}), _machine(data)),
                (say("report_date", {}), _dates(data, words)),
                (say("report_seeds", {}), ", ".join(map(str, plan.seeds))),
                (say("report_learned", {}), say(f"report_learn_{plan.learn}", {})),
                (say("report_recognizer", {}), data.recognizer),
                (say("report_voices", {}), ", ".join(voice.label for voice in plan.voices)),
                (say("report_version", {}), __version__),
                (say("report_id", {}), data.evaluation.id),
            ]
        ),
        element("p", joined([say("report_files", {}), links], " ")) if files else "",
    ]
    return joined(parts)


# Families of figures whose method is told, in the order of FAMILIES.
_METHODS = ("words", "likeness", "dnsmos", "distillmos", "loudness", "signal", "prosody", "speed", "versa")


def _builds(data: EvaluationData, findings: EvaluationFindings, words: ReportWords) -> Markup:
    say, plan = words.say, data.evaluation.plan
    runs, labels = {run.system: run for run in data.systems}, {system.system: label_of(system, words) for system in findings.systems}
    found = [runs.get(system.id) for system in plan.systems]
    options = [
        ", ".join(
            [
                *(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in system.options.items()),
                *([f"speed={system.speed:g}"] if system.speed != 1 else []),
                *([f"instructions={json.dumps(system.instructions, ensure_ascii=False)}"] if system.instructions else []),
            ]
        )
        for system in plan.systems
    ]
    columns = [
        TableColumn(say("report_system", {}), [labels.get(system.id, system.label) for system in plan.systems], figures=False),
        TableColumn(say("report_engine", {}), [system.engine or say("report_brought", {}) for system in plan.systems], figures=False),
        TableColumn(say("report_build", {}), [run and run.build for run in found], figures=False),
        TableColumn(say("report_options", {}), options, figures=False),
        TableColumn(say("report_license", {}), [run and run.licence for run in found], figures=False),
    ]
    return table(say("report_systems", {}), columns)


def _machine(data: EvaluationData) -> str:
    return ", ".join(f"{name} {value}" for name, value in data.evaluation.machine.items() if value)


def _dates(data: EvaluationData, words: ReportWords) -> str:
    begun, ended = day(data.evaluation.created), day(data.evaluation.changed)
    return begun if begun == ended else words.from_to(begun, ended)
