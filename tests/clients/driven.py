"""A studio as a user starts it, and clients that are driven against it: each program once, its cases told one by one."""

import json
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.clients.environments import BLOCKS, CLIENTS, Client, command_of
from tests.clients.heard import Heard, hear
from tests.clients.wire import Wire
from tests.stand_ins.server_process import start_server

__all__ = ["TEXT", "Driven", "started"]

# Three sentences, which an engine speaks one after the other.
TEXT = "The ferry leaves the old harbor at seven. Nobody on the pier has seen the captain this morning. We wait, and drink our tea."
PRINTED_URL, PRINTED_BASE, PRINTED_KEY = "http://127.0.0.1:7860", "/openai/v1", re.compile(r"\bnone\b")
SETTINGS = {
    "STUDIO_ENGINES": "kokoro,espeak",
    "STUDIO_DEFAULT_ENGINE": "kokoro",
    "STUDIO_MCP": "true",
    "STUDIO_VOICE_ALIASES": "onyx=am_michael",
}


@dataclass
class Driven:
    """wire: in front of the studio. wyoming: its address, "" where it has none. base: of OpenAI's API there. key: that it wants."""

    wire: Wire
    wyoming: str
    base: str
    key: str
    folder: Path
    log: Path

    def block_of(self, client: Client) -> str:
        """As docs/clients.md has it, with the address and the key of this studio."""
        block = BLOCKS[client.section].replace(PRINTED_URL + PRINTED_BASE, self.wire.url + self.base).replace(PRINTED_URL, self.wire.url)
        return PRINTED_KEY.sub(self.key, block)

    def drive(self, client: Client) -> dict[str, Heard]:
        """Case -> what it heard."""
        folder = self.folder / client.name
        folder.mkdir()
        given = {"block": self.block_of(client), "key": self.key, "wyoming": self.wyoming, "text": TEXT}
        command = command_of(client, given | {"sends": client.sends, "hears": client.hears})
        self.wire.exchanges()
        found = {}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        with (folder / "errors").open("w") as errors, subprocess.Popen(command, cwd=folder, stderr=errors, **pipes) as program:
            for line in program.stdout:
                if line.startswith('{"case"'):
                    told = json.loads(line)
                    found[told["case"]] = hear(told, self.wire.exchanges())
                    print(file=program.stdin, flush=True)
        untold = {"error": f"not told: {(folder / 'errors').read_text('utf-8')[-300:]}", "format": "", "pieces": [], "note": ""}
        return {case: found.get(case) or hear(untold, []) for case in client.cases}


@contextmanager
def started(folder: Path, app: Path, base: str, key: str) -> Iterator[Driven]:
    """What a checkout does not know yet, it is not told: so one of before can be driven too."""
    known = (app.parent / "studio/settings/settings.py").read_text("utf-8")
    settings = {name: value for name, value in SETTINGS.items() if name in known} | ({"STUDIO_API_KEYS": key} if key else {})
    wyoming = _wyoming(app)
    with start_server(folder / "speakers", headless=False, environment=settings, program=(str(app), *wyoming), most_seconds=180) as server:
        wire = Wire(server.url)
        try:
            yield Driven(wire, wyoming[-1] if wyoming else "", base, key or "none", folder, server.log)
        finally:
            wire.close()


def _wyoming(app: Path) -> list[str]:
    """The option as docs/clients.md has it, on a free port of this machine."""
    _, _, option, address = shlex.split(BLOCKS[CLIENTS["wyoming"].section])
    if option not in subprocess.run([sys.executable, app, "--help"], capture_output=True, text=True, check=True).stdout:
        return []
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return [option, re.sub(r"//.*", f"//127.0.0.1:{free.getsockname()[1]}", address)]
