"""BegunScripts: which script the command line made of which file, so that it goes on with it after it was ended."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from engines.durable import put_file
from engines.plain_json import read_json

__all__ = ["BegunScripts", "digest_of"]

MOST_BEGUN = 1_000  # the oldest is forgotten
FILE = "begun.json"


class BegunScripts:
    """folder: of the studio's scripts. A file that is damaged counts as empty: then a script is begun anew."""

    def __init__(self, folder: Path):
        self._file = folder / FILE

    def find(self, digest: str) -> str | None:
        """The id of the last script that was made of a file with that digest."""
        return self._read().get(digest)

    def note(self, digest: str, script_id: str) -> None:
        """Raises OSError."""
        known = self._read()
        known.pop(digest, None)
        kept = dict([*known.items(), (digest, script_id)][-MOST_BEGUN:])
        self._file.parent.mkdir(parents=True, exist_ok=True)
        put_file(self._file, [json.dumps(kept, indent=0).encode()])

    def _read(self) -> dict[str, str]:
        with suppress(OSError, ValueError):
            found = read_json(self._file.read_bytes())
            if isinstance(found, dict):
                return {str(digest): str(script) for digest, script in found.items()}
        return {}


def digest_of(data: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()
