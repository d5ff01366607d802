"""The command `edit`: changes what is said in a recording, and writes a file in which all else is as it was."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from studio.errors import RequestInvalid
from studio.settings import Settings

__all__ = ["add_edit_command", "changes_of"]

FORMATS = ("wav", "flac")  # which keep the recording's bits
Change = dict[str, object]


def add_edit_command(commands: argparse._SubParsersAction) -> None:
    """`edit FILE`: from a recording to the same one, in which something else is said."""
    edit = commands.add_parser(
        "edit",
        help="change what is said in a recording (experimental)",
        description="Says other words in a recording, in the voice of whoever speaks in it. All else stays, sample by sample.",
    )
    edit.add_argument("file", type=Path, help="recording, as long as the engine takes clips (30 s)")
    edit.add_argument("--words", default="auto", help="what is said in it, word for word; written down by the transcriber when left out")
    edit.add_argument("--replace", action="append", default=[], metavar="OLD=NEW", help="other words in place of some; more than once")
    edit.add_argument("--remove", action="append", default=[], metavar="WORDS", help="words to leave out; more than once")
    edit.add_argument("--operations", default="[]", metavar="JSON", help='as the API has them: \'[{"kind": "pause", "start": 12}]\'')
    edit.add_argument("--language", help='of the words: a code such as "de", or a name such as "German"')
    edit.add_argument("--engine", help="engine id; the first that edits when left out")
    edit.add_argument("--seed", type=int, help="another one makes another take")
    edit.add_argument("--whole", action="store_true", help="take all of the engine's sound, not the changed words alone")
    edit.add_argument("--out", type=Path, required=True, help="file to write: .wav or .flac")
    edit.set_defaults(run=_run_edit)


def _run_edit(options: argparse.Namespace, settings: Settings) -> int:
    """Exit status 0. Raises EngineError, OSError."""
    from engines.clips.clip import Clip
    from studio.audio.encode import encode
    from studio.running.jobs.stop_signal import StopSignal
    from studio.service import Studio
    from studio.speakers.enrollment import API_RULE
    from studio.speech.conversion import reading_source
    from studio.speech.editing.edit_body import read_edit_body
    from studio.speech.editing.editing import Watch
    from studio.timeline import Timeline

    file_format = options.out.suffix[1:].lower()
    if file_format not in FORMATS:
        fact = f"{options.out.name} is no .wav or .flac; other formats do not keep the recording's samples."
        hint, value = "Choose one of them.", options.out.suffix
        raise RequestInvalid("option_invalid", fact, "out", hint, sentence="option_no_choice", option="out", value=value, choices=FORMATS)
    studio = Studio(settings)
    try:
        timeline, data = Timeline(), options.file.read_bytes()

        def read_source(info) -> Clip:
            with reading_source(info, API_RULE) as rule:
                return rule.decode(data, filename=options.file.name)

        fields: dict[str, object] = {"model": options.engine, "words": options.words, "operations": list(changes_of(options))}
        fields |= {"language": options.language, "seed": options.seed, "whole": options.whole}
        edited = studio.edit_as_asked(read_edit_body(fields), read_source, timeline, Watch(StopSignal()))
        options.out.write_bytes(encode(edited.samples, edited.sample_rate, file_format))
        new = [[round(start, 3), round(end, 3)] for start, end in edited.changed]
        told = {"file": str(options.out), "engine": edited.engine.id, "words": edited.text, "new": new, "seed": edited.seed}
        sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
    finally:
        studio.close()
    return 0


def changes_of(options: argparse.Namespace) -> Iterator[Change]:
    """As the API takes them. Raises RequestInvalid."""
    for change in options.replace:
        old, _, new = change.partition("=")
        yield {"kind": "replace", "old": old, "text": new}
    for old in options.remove:
        yield {"kind": "remove", "old": old}
    try:
        given = json.loads(options.operations)
    except ValueError:
        given = None
    if not isinstance(given, list):
        fact = "--operations is no JSON list."
        raise RequestInvalid("schema_invalid", fact, "operations", 'Such as \'[{"kind": "pause", "start": 12}]\'.', field="operations")
    yield from given
