"""Speed table of a report: what listeners wait for and what it costs, by system."""

from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.report.report_words import ReportWords
from studio.evaluations.report.result_tables import label_of
from studio.evaluations.statistics.findings import EvaluationFindings
from studio.reports.markup import Markup, TableColumn, table

__all__ = ["speed_table"]


def speed_table(data: EvaluationData, findings: EvaluationFindings, words: ReportWords) -> Markup:
    """A row for each system of which anything is known; columns of which nothing is known are not there."""
    runs = {run.system: run for run in data.systems}
    timed = [
        system
        for system in findings.systems
        if findings.mean(system.system, "rtf") or findings.mean(system.system, "ttfp_ms") or system.n_cold or system.system in runs
    ]
    means = {name: [findings.mean(system.system, name) for system in timed] for name in ("ttfp_ms", "rtf")}
    found = [runs.get(system.system) for system in timed]

    def ms(value: float | None) -> str | None:
        return None if value is None else words.figure("ttfp_ms", value)

    columns = [
        TableColumn(words.say("report_system", {}), [label_of(system, words) for system in timed], figures=False),
        TableColumn(words.say("report_ttfp_p50", {}), [mean and ms(mean.p50) for mean in means["ttfp_ms"]]),
        TableColumn(words.say("report_ttfp_p95", {}), [mean and ms(mean.p95) for mean in means["ttfp_ms"]]),
        TableColumn(words.say("report_cold_p50", {}), [ms(system.cold_p50_ms) for system in timed]),
        TableColumn(words.say("report_cold_p95", {}), [ms(system.cold_p95_ms) for system in timed]),
        TableColumn(words.say("report_rtf_p50", {}), [mean and words.figure("rtf", mean.p50) for mean in means["rtf"]]),
        TableColumn(words.say("report_rtf_p95", {}), [mean and words.figure("rtf", mean.p95) for mean in means["rtf"]]),
        TableColumn(
            words.say("report_learn", {}),
            [None if system.learn_seconds is None else words.seconds(system.learn_seconds) for system in timed],
        ),
        TableColumn(
            words.say("report_open", {}),
            [None if run is None or run.open_seconds is None else words.seconds(round(run.open_seconds, 1)) for run in found],
        ),
        TableColumn(words.say("report_memory", {}), [words.size(run.memory_bytes) if run and run.memory_bytes else None for run in found]),
        TableColumn(words.say("report_device", {}), [words.size(run.device_bytes) if run and run.device_bytes else None for run in found]),
    ]
    return table(words.say("report_speed", {}), columns if any(any(column.cells) for column in columns[1:]) else [])
