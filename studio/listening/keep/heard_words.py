"""HeardWords: what the transcriber heard in the sounds of a test, kept beside them by their hashes, so that each is heard once."""

import json
from pathlib import Path

from engines.durable import put_file
from engines.plain_json import read_json

__all__ = ["HEARD", "HeardWords"]

HEARD = "heard.json"  # in the folder of a test


class HeardWords:
    """folder: of one test. by: who heard; of another transcriber nothing counts. One thread writes; others may read."""

    def __init__(self, folder: Path, by: str):
        self._path, self._by = folder / HEARD, by

    def read(self) -> dict[str, str]:
        """Hash of a sound -> the words heard in it, "" where there are none."""
        try:
            told = read_json(self._path.read_text(encoding="utf-8"))
            return dict(told["words"]) if told["by"] == self._by else {}
        except (OSError, ValueError, KeyError, TypeError):  # a damaged one is written anew
            return {}

    def write(self, words: dict[str, str]) -> None:
        """Raises OSError."""
        told = {"by": self._by, "words": words}
        put_file(self._path, [json.dumps(told, ensure_ascii=False).encode("utf-8", "surrogatepass")])
