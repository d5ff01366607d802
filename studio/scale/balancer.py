"""Balancer: asks a running HAProxy for its state, through its admin socket."""

import csv
import io
import socket
import sys
from pathlib import Path

__all__ = ["servers_up"]

ANSWER_SECONDS = 5.0


def servers_up(admin: Path) -> list[str]:
    """Names of the servers that it asks now, those apart that are for when there is no other; none while it starts anew."""
    try:
        said = _asked(admin, "show stat")
    except OSError:  # one HAProxy hands the socket to the next
        return []
    rows = csv.DictReader(io.StringIO(said.removeprefix("# ")))
    return [row["svname"] for row in rows if row["type"] == "2" and row["bck"] == "0" and row["status"].startswith("UP")]


def _asked(admin: Path, command: str) -> str:
    if sys.platform == "win32":
        raise OSError("Windows has no such sockets.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(str(admin))
        connection.sendall(f"{command}\n".encode())
        with connection.makefile(encoding="utf-8") as answer:
            return answer.read()
