"""Environments of clients: each has its own in .clients/, made once by uv, else pip, or by npm.

It is used again while its packages stay the same. What is fetched is said before, with sizes. What cannot be had is a reason, which the
tests of that client are skipped with.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BLOCKS", "CLIENTS", "PAGE", "PROGRAMS", "ROOT", "TABLE", "Client", "command_of", "install", "missing"]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / ".clients"
PROGRAMS = HERE / "programs"
WINDOWS = sys.platform == "win32"
MOST_SECONDS = 900
PAGE = ROOT / "docs/clients.md"
TABLE = "<!-- heard: make test-clients ARGS=--write-table -->\n"  # behind it, to the end of the page
# Heading -> its first block of code.
BLOCKS = dict(re.findall(r"^## ([^\n]+)\n(?:(?!## |```)[^\n]*\n)*```\w+\n(.*?)```", PAGE.read_text("utf-8"), re.M | re.S))


@dataclass(frozen=True)
class Client:
    """A row of clients.toml, which tells what its columns mean."""

    name: str
    section: str
    program: str
    packages: tuple[str, ...]
    megabytes: float
    sends: dict
    hears: str

    @property
    def is_node(self) -> bool:
        return self.program.endswith(".mjs")

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def version(self) -> str:
        """Of its first package."""
        return re.split("==|(?<=.)@", self.packages[0])[-1] if self.packages else "its requests"

    @property
    def cases(self) -> list[str]:
        """That its program names."""
        return re.findall(r'(?:@case|testCase)\("([^"]+)"', (PROGRAMS / self.program).read_text("utf-8"))


def _read() -> dict[str, Client]:
    rows = tomllib.loads((HERE / "clients.toml").read_text("utf-8"))
    without = {"sends": {}, "hears": ""}
    return {name: Client(name, **without | row | {"packages": tuple(row["packages"])}) for name, row in rows.items()}


CLIENTS = _read()


def missing(clients: Iterable[Client]) -> list[Client]:
    """Those whose packages are not here in these versions."""
    return [client for client in clients if client.packages and not _is_here(client)]


def install(client: Client) -> str:
    """Why its packages could not be had; "" where they are here now."""
    shutil.rmtree(client.folder, ignore_errors=True)
    client.folder.mkdir(parents=True)
    program = shutil.which("npm") if client.is_node else sys.executable
    if program is None:
        return "Node and npm are not installed"
    try:
        for command in _by_npm(client, program) if client.is_node else _by_python(client):
            ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
            if ran.returncode:
                lines = [line.strip() for line in ran.stderr.splitlines() if line.strip()] or ["it said nothing"]
                return f"{', '.join(client.packages)} cannot be installed, as without a network: {lines[0 if client.is_node else -1][:200]}"
    except subprocess.TimeoutExpired:
        return f"{', '.join(client.packages)} took more than {MOST_SECONDS} s to install"
    _stamp(client).write_text(_wanted(client), "utf-8")
    return ""


def command_of(client: Client, given: dict) -> list[str]:
    """What runs its program."""
    program = PROGRAMS / client.program
    if client.is_node:  # which looks for packages from where the program lies
        for file in PROGRAMS.glob("*.mjs"):
            shutil.copy(file, client.folder)
        program = client.folder / client.program
    python = _python(client.folder) if client.packages else sys.executable
    return [shutil.which("node") or "node" if client.is_node else str(python), str(program), json.dumps(given)]


def _by_python(client: Client) -> list[list[str]]:
    """By uv, which links what it has, else by pip."""
    beside = Path(sys.executable).with_name("uv.exe" if WINDOWS else "uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    folder, python = str(client.folder), str(_python(client.folder))
    if uv:
        return [
            [uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, folder],
            [uv, "pip", "install", "--python", python, *client.packages],
        ]
    return [
        [sys.executable, "-m", "venv", folder],
        [python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *client.packages],
    ]


def _by_npm(client: Client, npm: str) -> list[list[str]]:
    (client.folder / "package.json").write_text('{"private": true, "type": "module"}', "utf-8")
    quiet = ("--loglevel=error", "--no-audit", "--no-fund")
    return [[npm, "install", "--prefix", str(client.folder), *quiet, "--save-exact", *client.packages]]


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if WINDOWS else "bin/python")


def _is_here(client: Client) -> bool:
    return _stamp(client).exists() and _stamp(client).read_text("utf-8") == _wanted(client)


def _stamp(client: Client) -> Path:
    return client.folder / ".installed"


def _wanted(client: Client) -> str:
    """What the environment was made of: another Python wants another one."""
    return "\n".join([*client.packages, *([] if client.is_node else [sys.version])])
