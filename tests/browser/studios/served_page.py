"""A page over fake engines in this process, behind a real server, so that a test can hold an engine while a browser looks."""

import contextlib
import os
import socket
from collections.abc import Iterator

import uvicorn
from gradio.context import Context

from studio.server import behind_guards, configured, page_and_api
from studio.service import Studio
from tests.processes.threaded_server import served_in_a_thread

PORTS: list[int] = []  # that servers of this process have had


@contextlib.contextmanager
def served_page(studio: Studio) -> Iterator[str]:
    """The base URL of page and API over this studio."""

    def build() -> uvicorn.Config:  # inside of the loop: outside of one Gradio opens loops and leaves them open
        Context.id = 0  # as in a process of its own: a page that outlives its studio names components by number
        return configured(behind_guards(page_and_api(studio), studio.settings), studio.settings, log_level="critical")

    with served_in_a_thread(build, _listener()) as url:
        yield url


def _listener() -> socket.socket:
    """At a port of a server that is gone, where there is one: what a browser has fetched and compiled of it, it has of the next as well.

    The first view of a port that it does not know costs half a second of a processor more.
    """
    for port in (*PORTS, 0):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == "posix")  # what lingers there of the last one is no server
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            listener.close()
        else:
            break
    if not port:
        PORTS.append(listener.getsockname()[1])
    return listener
