"""Listening tests as files: votes, findings, report, sounds, plots. They are routes of the page's own app, behind its SignIn.

They are hidden as long as the results are.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from studio.listening.keep.test import ListeningTest
from studio.listening.report.findings_json import findings_json
from studio.listening.report.html_report import html_report
from studio.listening.report.listeners_csv import listeners_csv
from studio.listening.report.plots.plots import plot_png, plot_svg, plots_of
from studio.listening.report.reported_test import systems_of
from studio.listening.report.sounds_zip import sounds_zip
from studio.listening.report.tidy_csv import tidy_csv
from studio.listening.report.votes_csv import votes_csv
from studio.listening.report.webmushra_results import results_csv
from studio.service import Studio
from studio.ui.downloads.guarded_files import GUARDED, answered_file
from studio.ui.gradio.words import language_asked
from studio.ui.listening_tests.listening_values import say_of
from studio.web.access import workspace_of
from studio.words.sentences import Sentences, sentences_in

__all__ = ["LISTENING_FILES", "listening_file_routes"]


@dataclass(frozen=True)
class ListeningFile:
    """One kind of file. ending: of its name. make(studio, test, catalogue) -> its bytes; raises ResultsHidden."""

    ending: str
    mime_type: str
    make: Callable[[Studio, ListeningTest, Sentences], bytes]


def listening_file_routes(studio: Studio) -> list[Route]:
    """GET /studio/tests/{id}/{kind}, kind one of LISTENING_FILES: a download, in the words of the page's language (?lang=)."""

    def download(request: Request) -> Response:
        visitor = studio.within(workspace_of(request.scope))
        said = sentences_in(language_asked(request.headers, str(request.query_params)))
        return answered_file(lambda: _made(visitor, request.path_params["test_id"], request.path_params["kind"], said))

    return [Route("/studio/tests/{test_id}/{kind}", download)]


def _made(studio: Studio, test_id: str, kind: str, said: Sentences) -> Response:
    test = studio.listening.test(test_id)
    if kind not in LISTENING_FILES:
        return Response(status_code=404, headers=GUARDED)
    file = LISTENING_FILES[kind]
    name = re.sub(r"[^A-Za-z0-9]+", "-", test.plan.name).strip("-").lower() or "listening-test"
    disposition = {"Content-Disposition": f'attachment; filename="{name}-{file.ending}"'}
    return Response(file.make(studio, test, said), media_type=file.mime_type, headers=GUARDED | disposition)


def _votes(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    return votes_csv(studio.listening.votes(test.id)).encode()


def _tidy(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    return tidy_csv(studio.listening.votes(test.id), studio.listening.findings(test.id)).encode()


def _listeners(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    return listeners_csv(test.plan, studio.listening.listeners(test.id)).encode()


def _findings(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    return findings_json(studio.listening.shown(test.id), studio.listening.findings(test.id)).encode()


def _report(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    listening = studio.listening
    test = listening.shown(test.id)
    return html_report(test, listening.findings(test.id), listening.votes(test.id), say_of(said), language=said.language).encode()


def _sounds(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    test = studio.listening.shown(test.id)  # the key among them tells what results tell, so that it is hidden as long
    return b"".join(sounds_zip(test, studio.listening.folder(test.id), say_of(said)))


def _webmushra(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    return "".join(results_csv(studio.listening.votes(test.id), test.link).values()).encode()


def _plot_svg(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    findings = studio.listening.findings(test.id)
    return "".join(plot_svg(findings, kind, say_of(said), systems_of(test)) for kind in plots_of(findings)[:1]).encode()


def _plot_png(studio: Studio, test: ListeningTest, said: Sentences) -> bytes:
    findings = studio.listening.findings(test.id)
    return b"".join(plot_png(findings, kind, say_of(said), systems_of(test)) for kind in plots_of(findings)[:1])


LISTENING_FILES: Mapping[str, ListeningFile] = {
    "votes": ListeningFile("votes.csv", "text/csv; charset=utf-8", _votes),
    "tidy": ListeningFile("tidy.csv", "text/csv; charset=utf-8", _tidy),
    "listeners": ListeningFile("listeners.csv", "text/csv; charset=utf-8", _listeners),
    "findings": ListeningFile("findings.json", "application/json", _findings),
    "report": ListeningFile("report.html", "text/html; charset=utf-8", _report),
    "sounds": ListeningFile("sounds.zip", "application/zip", _sounds),
    "webmushra": ListeningFile("webmushra.csv", "text/csv; charset=utf-8", _webmushra),
    "plot-svg": ListeningFile("plot.svg", "image/svg+xml", _plot_svg),
    "plot-png": ListeningFile("plot.png", "image/png", _plot_png),
}
