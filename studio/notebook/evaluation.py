"""NotebookEvaluation: which engine is better, for a Python program: run it, look at rows, write the report, make a blind test."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path

from engines.errors import EngineError
from studio.errors import OutputUnknown
from studio.evaluation_orders.asked import AskedEvaluation, AskedSystem, AskedVoice
from studio.evaluation_orders.materials import Materials, builtin, line_texts, of_file
from studio.evaluation_orders.orders import ReadyOrder, bring, order_of
from studio.evaluation_orders.systems import named_system
from studio.evaluation_tests import EvaluationTestOrder, begin_evaluation_test
from studio.evaluations.report.evaluation_csv import cells_csv, systems_csv
from studio.evaluations.report.evaluation_file import evaluation_json
from studio.evaluations.report.markdown import markdown_table
from studio.evaluations.report.report_words import ReportWords
from studio.evaluations.report.written_report import report_zip, write_report
from studio.evaluations.statistics.sentences import sentence_of
from studio.evaluations.texts.ids import plain_id
from studio.evaluations.texts.voices import ReadVoice
from studio.notebook.speech import telling_all
from studio.service import Studio
from studio.words.sentences import sentences_in

__all__ = ["Engines", "NotebookEvaluation", "Texts", "begun", "evaluation_order"]

Engines = str | Mapping[str, object] | Sequence[str | Mapping[str, object]]  # as the command has them, or fields of a system in the API
Texts = str | PathLike[str] | Sequence[str] | None  # "builtin", a file, or the texts themselves
BUILTIN = "builtin"
LOOK_SECONDS = 0.1  # between two looks at what is being said


class NotebookEvaluation:
    """It is kept by the studio, and found on its page, too. Made by `Studio.evaluate`."""

    def __init__(self, studio: Studio, evaluation_id: str, door: object, language: str = "en"):
        """door: which is closed when nobody holds it any more. language: of sentences and reports."""
        self.id = evaluation_id
        self._studio = studio
        self._door = door
        words = sentences_in(language)
        self._words = ReportWords(lambda key, values: words.words(f"evaluations.{key}", values), words.language)
        self._say = lambda key, values: words.words(f"evaluations.{key}", values)

    def run(self, progress: Callable[[str, int, int], None] | None = None) -> "NotebookEvaluation":
        """Say what is not said and measure what is not measured, and wait for it; Ctrl-C stops it, and what is done stays.

        progress("say" or "measure", sounds done, sounds in all). Raises what kept it from going on.
        """
        with telling_all():
            self._studio.evaluations.begin(self.id)
            try:
                self._wait(progress or (lambda phase, done, total: None))
            except KeyboardInterrupt:
                self._studio.evaluations.stop(self.id)
                raise
        return self

    def _wait(self, progress: Callable[[str, int, int], None]) -> None:
        pause = threading.Event()
        while (now := self._studio.evaluations.progress(self.id)).is_running:
            if now.phase:
                progress(now.phase, now.done, now.total)
            pause.wait(LOOK_SECONDS)
        if isinstance(now.failure, EngineError):
            raise now.failure

    @property
    def verdict(self) -> tuple[str, ...]:
        """What was found, in sentences, the most important first."""
        findings = self._studio.evaluations.findings(self.id)
        return tuple(sentence_of(line, self._say) for line in (*findings.verdict, *findings.lines, *findings.notes))

    @property
    def findings(self) -> list[dict[str, object]]:
        """A row for each system and figure: mean with its 95 % range, p50, p95, n. `pandas.DataFrame(evaluation.findings)` is a table."""
        findings = self._studio.evaluations.findings(self.id)
        labels = {one.system: one.label for one in findings.systems}
        return [
            {
                "system": labels[mean.system],
                "figure": mean.figure,
                "mean": mean.mean,
                "low": mean.low,
                "high": mean.high,
                "p50": mean.p50,
                "p95": mean.p95,
                "n": mean.n,
            }
            for mean in findings.means
        ]

    @property
    def pairs(self) -> list[dict[str, object]]:
        """A row for every two systems and each figure: the difference, or ratio, with its range; `better`, where it is beyond chance."""
        findings = self._studio.evaluations.findings(self.id)
        labels: dict[str | None, str | None] = {one.system: one.label for one in findings.systems}
        return [
            {**asdict(pair), "system": labels[pair.system], "other": labels[pair.other], "better": labels.get(pair.better)}
            for pair in findings.pairs
        ]

    @property
    def cells(self) -> list[dict[str, object]]:
        """A row for each sound: system, voice, text, seed, what was written and heard, and its figures by name."""
        data = self._studio.evaluations.data(self.id)
        texts = {text.id: text.text for text in data.evaluation.plan.texts}
        rows: list[dict[str, object]] = []
        for cell in data.cells:
            measures, said = cell.measures, cell.said
            told: dict[str, object] = cell.key._asdict() | {"written": texts[cell.key.text], "heard": measures.heard if measures else None}
            told |= {"refused": said.refused["message"] if said.refused else None, "ttfp_seconds": said.ttfp_seconds, "rtf": said.rtf}
            rows.append(told | (dict(measures.values) if measures else {}))
        return rows

    def report(self, folder: str | PathLike[str]) -> Path:
        """A folder with report.html, which needs no studio, its sounds, and tables. The path of report.html. Raises OSError."""
        with telling_all():
            return write_report(Path(folder).expanduser(), *self._found(), self._words, sound_path=self._sound_path)

    def save(self, path: str | PathLike[str]) -> Path:
        """As one file, of what its name ends in: .json (everything but sounds), .csv (a row a sound), .md (a table), .zip (the report with
        its sounds). Raises OutputUnknown, OSError."""
        path = Path(path).expanduser()
        with telling_all():
            data, findings = self._found()
            if path.suffix == ".zip":
                with path.open("wb") as file:
                    file.writelines(report_zip(data, findings, self._words, self._sound_path))
            elif path.suffix == ".json":
                path.write_bytes(evaluation_json(data, findings))
            elif path.suffix in (".csv", ".md"):
                systems = path.stem.endswith("systems")
                table = systems_csv(findings) if systems else cells_csv(data)
                path.write_text(table if path.suffix == ".csv" else markdown_table(data, findings, self._words), encoding="utf-8")
            else:
                raise OutputUnknown(path.suffix or path.name, (".json", ".csv", ".md", ".zip"))
        return path

    def test(self, n: int = 20, **order: object) -> str:
        """The id of a draft of a blind listening test, of the n texts that differ most; its sounds are leveled in the background.

        order: method, systems, name as in POST /v1/studio/evaluations/{evaluation}/test.
        """
        with telling_all():
            return begin_evaluation_test(self._studio, self.id, EvaluationTestOrder(n=n, **order)).test  # type: ignore[arg-type]

    def delete(self) -> None:
        """With its sounds and figures, for good."""
        self._studio.evaluations.delete(self.id)

    def _found(self):
        return self._studio.evaluations.data(self.id), self._studio.evaluations.findings(self.id)

    def _sound_path(self, sound) -> Path:
        return self._studio.evaluations.sound_path(self.id, sound.sha256)

    def __repr__(self) -> str:
        one = self._studio.evaluations.evaluation(self.id)
        return f"<{type(self).__name__} {one.id}: {one.n_said} of {one.n_cells} said, {one.n_measured} measured>"


def evaluation_order(
    studio: Studio,
    engines: Engines,
    voices: Iterable[str | tuple[str, bytes]],
    texts: Texts,
    files: Mapping[str, str | PathLike[str]],
    **plan: object,
) -> ReadyOrder:
    """voices: names; or labels with the bytes of recordings. plan: languages, sentences, and fields of POST /v1/studio/evaluations.

    Raises EngineError with what is to be mended, OSError.
    """
    given = dict(plan)
    languages, n = given.pop("languages", None), given.pop("sentences", None)
    codes = (languages,) if isinstance(languages, str) else tuple(languages) if isinstance(languages, Sequence) else ()
    folders = {label: Path(folder).expanduser() for label, folder in files.items()}
    known = Materials(
        names=tuple(AskedVoice(name=voice) for voice in voices if isinstance(voice, str)),
        voices=tuple(ReadVoice(id=plain_id(one[0]), label=one[0], data=one[1]) for one in voices if not isinstance(one, str)),
        folders=folders,
    )
    systems = [_system(studio, one) for one in ([engines] if isinstance(engines, str | Mapping) else engines)]
    systems += [AskedSystem(files=label) for label in folders]
    asked = AskedEvaluation.model_validate({"systems": systems, **{name: value for name, value in given.items() if value is not None}})
    return order_of(studio, asked, _with_texts(known, texts, codes, n if isinstance(n, int) else None, bool(engines)))


def _with_texts(known: Materials, texts: Texts, languages: tuple[str, ...], n: int | None, speaks: bool) -> Materials:
    if texts is None and known.folders and not speaks:
        return known
    if texts is None or texts == BUILTIN:
        return known.with_lines(builtin(languages or ("en",), n))
    if isinstance(texts, str | PathLike):
        return of_file(known, Path(texts).expanduser(), languages, n)
    return known.with_lines(line_texts(list(texts), languages[0] if languages else None))


def _system(studio: Studio, engine: str | Mapping[str, object]) -> AskedSystem:
    return named_system(studio, engine) if isinstance(engine, str) else AskedSystem.model_validate(dict(engine))


def begun(studio: Studio, ready: ReadyOrder) -> str:
    """The id of the evaluation, with the sounds that are brought."""
    evaluation, _ = studio.evaluations.create(ready.order)
    for _ in bring(studio.evaluations, evaluation.id, ready.sounds):
        pass
    return evaluation.id
