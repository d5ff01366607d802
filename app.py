"""The command line. It starts the studio, speaks a text in the voice of a clip, says scripts, runs listening tests, or the benchmark."""

import argparse
import base64
import io
import json
import logging
import sys
import threading
import time
import webbrowser
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from engines.clips.clip import Transcript
from engines.errors import EngineError
from studio.commands.arguments import add_script_command, add_test_commands
from studio.commands.edit import add_edit_command
from studio.commands.evaluate_arguments import add_evaluate_command
from studio.errors import DiskFull, disk_error
from studio.running.offer.offer import offered_settings
from studio.running.zero_gpu.zero_gpu import open_zero_gpu
from studio.scale.cluster import add_cluster_command
from studio.settings import Settings, SettingsInvalid
from studio.web.ends import INTERRUPTED, interrupt_at_ends

if TYPE_CHECKING:
    from studio.service import Studio

DEFAULT_PORT, MOST_PORT = 7860, 65_535
FIGURES = "studio.measure"  # which stays out of the wheel (pyproject.toml)
STARTED = time.perf_counter()


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0, 2 for what the user can mend, said in one line, or INTERRUPTED."""
    _print_any_letter()
    options = _parser().parse_args(arguments)
    interrupt_at_ends()
    try:
        settings = offered_settings()
        return options.run(options, settings)
    except EngineError as error:
        command = getattr(error, "command", "")  # whoever is at the command line can run it
        print(f"{error.fact} {f'Run: {command}' if command else error.hint}".strip(), file=sys.stderr)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (SettingsInvalid, OSError) as error:
        refused = disk_error(error)
        print(f"{error}. {refused.fact} {refused.hint}" if isinstance(refused, DiskFull) else error, file=sys.stderr)
    return 2


def _print_any_letter() -> None:
    r"""A console of a narrow code page gets \\u738b for 王, where Python would end. There is none under pythonw."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Voice cloning studio. Without a command it serves the page and the API.")
    parser.add_argument("--headless", action="store_true", help="serve the API alone")
    parser.add_argument("--host", help="address to listen on; 127.0.0.1, or what a Space says")
    parser.add_argument("--port", type=_port, help="port to listen on, 0 for any free one; 7860, or what a Space says")
    parser.add_argument("--wyoming", metavar="URI", help="speak Wyoming too, as Home Assistant does: tcp://0.0.0.0:10200, or unix:///path")
    parser.add_argument("--open", action="store_true", help="open the page in the browser when it is ready")
    parser.set_defaults(run=_serve)
    commands = parser.add_subparsers(title="commands", metavar="")

    say = commands.add_parser("say", help="speak a text in the voice of a clip, into a WAV file")
    say.add_argument("text")
    say.add_argument("--clip", type=Path, required=True, help="recording of the voice, 1-30 s")
    say.add_argument("--transcript", help="the words of the clip; better clones where the engine uses them")
    say.add_argument("--language", help='language of text and transcript: a code such as "de", or a name such as "German"')
    say.add_argument("--engine", help="engine id; the studio's default engine when left out")
    say.add_argument("--out", type=Path, required=True, help="WAV file to write")
    say.set_defaults(run=_say)

    bench = commands.add_parser("bench", help="measure an engine: extraction, cold and warm TTFP, RTF, memory, server overhead")
    bench.add_argument("--engine", help="engine id; the studio's default engine when left out")
    bench.add_argument("--clip", type=Path, default=Path(__file__).parent / "assets/voices/demo.flac", help="recording of the voice")
    bench.add_argument("--runs", type=int, default=30, help="warm runs per figure")
    bench.add_argument("--json", type=Path, default=Path("out/bench.json"), help="file for the figures, machine and versions inside")
    bench.set_defaults(run=_bench)

    licenses = commands.add_parser("licenses", help="list the licenses of all that is installed, and of what the studio carries")
    licenses.set_defaults(run=_licenses)

    add_edit_command(commands)
    add_script_command(commands)
    add_evaluate_command(commands)
    add_test_commands(commands)
    add_cluster_command(commands)
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; ports are 0 to {MOST_PORT}")
    return int(text)


def _serve(options: argparse.Namespace, settings: Settings) -> int:
    if settings.zero_gpu:
        open_zero_gpu()  # before anything imports torch
    from studio.server import LOG_FORMAT, ServedAt, say_ready, serve, serve_on_space
    from studio.wyoming.address import WyomingAddress

    logging.basicConfig(level=logging.INFO, format=LOG_FORMAT)
    wyoming = WyomingAddress.of(options.wyoming, settings) if options.wyoming else None
    if settings.space_id and not options.headless:
        serve_on_space(settings, host=options.host, port=options.port, started=STARTED)
        return 0
    port = DEFAULT_PORT if options.port is None else options.port

    def on_ready(studio: "Studio", address: str) -> None:
        say_ready(studio, address, STARTED)
        if options.open and not options.headless:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # a browser may take its time

    serve(settings, ServedAt(options.host or "127.0.0.1", port, wyoming), headless=options.headless, on_ready=on_ready)
    return 0


def _say(options: argparse.Namespace, settings: Settings) -> int:
    """What the API would be asked, and the transcript is in the language of the text."""
    from studio.audio.encode import encode
    from studio.service import Studio
    from studio.speech.body import read_body
    from studio.speech.request import request_of
    from studio.timeline import Timeline

    fields = {"input": options.text, "language": options.language}
    recording = base64.b64encode(options.clip.read_bytes()).decode()
    body = read_body(fields | {"ref_audio": f"data:application/octet-stream;base64,{recording}"}, settings.dialect)
    studio = Studio(settings)
    try:
        info, timeline = studio.load(options.engine).info, Timeline()
        request = request_of(body, info, settings, timeline, studio.remote_audio.fetch)
        language = request.options.get("language")
        transcript = Transcript.of(options.transcript, language if isinstance(language, str) else None)
        speech = studio.speak(replace(request, transcript=transcript), timeline)
        options.out.write_bytes(encode(speech.read_all(), speech.sample_rate, "wav"))
        end = {"reason": speech.end and speech.end.reason, "warning": speech.warning}
        print(json.dumps({"file": str(options.out), "engine": info.id, **timeline.summary(), "end": end}))
    finally:
        studio.close()
    return 0


def _bench(options: argparse.Namespace, settings: Settings) -> int:
    if find_spec(FIGURES) is None:
        print("Figures are made in a checkout of the repository, not by an installed package. Run there: make bench", file=sys.stderr)
        return 2
    from studio.measure.bench import run_bench

    return run_bench(settings, engine=options.engine, clip_file=options.clip, n_runs=options.runs, json_file=options.json)


def _licenses(options: argparse.Namespace, settings: Settings) -> int:
    from studio.commands.licenses import license_lines

    print("\n".join(license_lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
