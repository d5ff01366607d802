"""Listening tests on the command line. Each command works on the tests of a studio, like the page and the API, and reports what it did."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engines.errors import EngineError
from studio.commands.result_files import write_report, write_result, written
from studio.commands.vote_files import judged_file
from studio.listening.foreign.clip_lists import is_clip_list, read_clip_folder, read_clip_list
from studio.listening.foreign.config_text import parsed_config
from studio.listening.foreign.webmushra import is_config, read_config
from studio.listening.people.people import told_of
from studio.listening.report.names import sentences_of
from studio.listening.report.plan_file import PlannedTest, bounded, plan_of, recording_of
from studio.settings import Settings
from studio.words.line import Say
from studio.words.sentences import sentences_in

if TYPE_CHECKING:
    from studio.listening.listening import Listening
    from studio.listening.statistics.findings import Findings

__all__ = ["COMMANDS", "run_test_command", "say_in"]

SECTION = "tests"  # of assets/words
LOOK_SECONDS = 0.2  # between two looks at a rendering
CONFIGS = "configs"  # webMUSHRA's folder of configurations; what they name lies beside it
Tell = Callable[[str], None]


def run_test_command(options: argparse.Namespace, settings: Settings) -> int:
    """Exit status: 0, or 2 where a test is not ready. Raises EngineError, OSError."""
    say = say_in(options.language)
    if options.part == "report" and _is_file(options.test):
        return _report_votes(options, say, _tell)
    from studio.service import Studio

    studio = Studio(settings)
    try:
        return COMMANDS[options.part](options, studio.listening, say, _tell)
    finally:
        studio.close()


def say_in(language: str) -> Say:
    """Sentences of listening tests in a language."""
    words = sentences_in(language).words

    def say(key: str, values: Mapping[str, object]) -> str:
        return words(f"{SECTION}.{key}", values)

    return say


def _create(options: argparse.Namespace, listening: "Listening", say: Say, tell: Tell) -> int:
    """All recordings are looked for before the first test is made, and a test whose recordings are refused is deleted again."""
    planned, folder = _planned(options.plan)
    files = {upload: recording_of(upload, folder) for one in planned for upload in one.uploads}
    for one in planned:
        test = listening.create(one.plan)
        with _deleted_at_failure(listening, test.id):
            for upload in one.uploads:
                listening.add_sound(test.id, upload.system, upload.text, files[upload].read_bytes(), files[upload].name)
        tell(say("command_created", {"name": one.plan.name, "id": test.id}))
        _tell_more(one, say, tell)
    return 0


def _planned(file: Path) -> tuple[tuple[PlannedTest, ...], Path]:
    """(tests of a plan, a configuration, a list of clips or a folder of such lists; the folder that its paths start from)"""
    if file.is_dir():
        planned = read_clip_folder(file)
        return planned, _root_of(planned, file)
    folder, text = file.parent, bounded(file)
    if is_clip_list(text):
        planned = read_clip_list(text, file.stem)
        return planned, _root_of(planned, folder)
    fields = parsed_config(text)
    if not is_config(fields):
        return (plan_of(fields),), folder
    return read_config(text), folder.resolve().parent if folder.resolve().name == CONFIGS else folder


def _root_of(planned: tuple[PlannedTest, ...], folder: Path) -> Path:
    """Where the first recording lies below: the list's folder, or one above it, since lists may name paths from anywhere."""
    first = planned[0].uploads[0].path
    above = (folder.resolve(), *folder.resolve().parents)
    return next((parent for parent in above if (parent / first).is_file()), folder)


def _tell_more(planned: PlannedTest, say: Say, tell: Tell) -> None:
    if planned.uploads:
        tell(say("command_recordings", {"n": len(planned.uploads)}))
    for line in planned.left_out:
        tell(say(line.key, line.values))


def _render(options: argparse.Namespace, listening: "Listening", say: Say, tell: Tell) -> int:
    """Until all sounds are there. Raises what kept the rendering from its end."""
    listening.begin_rendering(options.test)
    told = None
    try:
        while (progress := listening.progress(options.test)).is_running:
            if progress.total and (progress.done, progress.now) != told:
                told = progress.done, progress.now
                tell(say("command_progress", {"done": progress.done, "total": progress.total, "now": progress.now}))
            time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        listening.stop_rendering(options.test)
        raise
    if progress.failure is not None:
        raise progress.failure
    tell(say("command_rendered", {"n": progress.done}))
    return 0


def _open(options: argparse.Namespace, listening: "Listening", say: Say, tell: Tell) -> int:
    failed = [check for check in listening.checks(options.test) if check.needed and not check.passed]
    if failed and listening.test(options.test).state == "draft":
        tell(say("command_not_ready", {}))
        for check in failed:
            tell(f"- {say(f'check_{check.key}_not', check.values)}")
        return 2
    test = listening.freeze(options.test)
    tell(say("command_open", {"path": f"/listen/{test.link}"}))
    return 0


def _close(options: argparse.Namespace, listening: "Listening", say: Say, tell: Tell) -> int:
    listening.close_test(options.test)
    tell(say("command_closed", {}))
    return 0


def _report(options: argparse.Namespace, listening: "Listening", say: Say, tell: Tell) -> int:
    findings, votes = listening.findings(options.test), listening.votes(options.test)
    _tell_verdict(findings, say, tell)
    told = (listening.shown(options.test), findings, votes)
    tell(say("command_written", {"file": write_report(options, told, say)}))
    return 0


def _report_votes(options: argparse.Namespace, say: Say, tell: Tell) -> int:
    judged = judged_file(options)
    _tell_verdict(judged.findings, say, tell)
    for line in judged.told:
        tell(say(line.key, line.values))
    tell(say("command_written", {"file": write_report(options, (None, judged.findings, judged.votes), say)}))
    return 0


def _tell_verdict(findings: "Findings", say: Say, tell: Tell) -> None:
    """With what each rule of screening did, where one left anybody out, and what would be said with everybody."""
    for sentence in sentences_of((*findings.verdict, *findings.notes), findings, say):
        tell(sentence)
    for rule in (rule for rule in findings.rules if rule.n_out):
        tell(f"- {say(f'rule_{rule.rule}', rule.values)}: {say('report_left_out', {'n': rule.n_out})}")
    if findings.everybody is not None:
        told = sentences_of(findings.everybody.verdict, findings, say)
        tell(f"{say('everybody', {})}: {' '.join(told)}")


def _export(options: argparse.Namespace, listening: "Listening", say: Say, tell: Tell) -> int:
    for file in write_result(options, listening, say):
        tell(say("command_written", {"file": file}))
    return 0


def _withdraw(options: argparse.Namespace, listening: "Listening", say: Say, tell: Tell) -> int:
    listening.delete_listener(options.test, options.listener)
    tell(say("command_withdrawn", {}))
    return 0


def _listener(options: argparse.Namespace, listening: "Listening", say: Say, tell: Tell) -> int:
    person = told_of(listening.listener(options.test, options.listener))
    file = written(options.out or Path("listener.json"), json.dumps(person, ensure_ascii=False, indent=2) + "\n")
    tell(say("command_written", {"file": file}))
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace, "Listening", Say, Tell], int]] = {
    "create": _create,
    "render": _render,
    "open": _open,
    "close": _close,
    "report": _report,
    "export": _export,
    "withdraw": _withdraw,
    "listener": _listener,
}


@contextmanager
def _deleted_at_failure(listening: "Listening", test_id: str):
    try:
        yield
    except (EngineError, OSError):
        listening.delete(test_id)
        raise


def _is_file(named: str) -> bool:
    """Whether a report is asked for of a file, not of a test: ids have no dots."""
    return "." in named or Path(named).is_file()


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
