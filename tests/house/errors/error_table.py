"""The table of errors with their English sentences, studio/ui/ERRORS.md. `python -m tests.house.errors.error_table` writes it anew."""

import studio.errors
from studio.errors import StudioError
from studio.speech.refusal import PARAMETERS, status_of
from studio.words.sentences import sentences_in
from tests.house.errors.error_sites import script_sites, sites
from tests.house.source_files import ROOT

__all__ = ["TABLE", "error_table"]

TABLE = ROOT / "studio/ui/ERRORS.md"
HEAD = """# What people read when something goes wrong

Written by `python -m tests.house.errors.error_table` from the source and from `assets/words/en.json`; do not edit it. A code is stable and
for programs; where it stands for several facts, each has a sentence of its own. The API says the same sentence, with details for programs
behind a colon, or vLLM-Omni's where it has one (`studio/speech/refusal.py`). An error of the studio's own has its HTTP status here, and
the field of a request that it is about.

| code | status | field | sentence | what happened | what to do |
|---|---|---|---|---|---|
"""


def error_table() -> str:
    """As it should stand in the file."""
    said = sentences_in("en").sections["errors"]
    codes = {(site.code, key) for site in [*sites(), *script_sites()] for key in site.sentences if key in said}
    known = {key for _, key in codes}
    rows = sorted([*codes, *((key, key) for key in said if key not in known)], key=lambda row: (row[0].lower(), row[0] != row[1], row[1]))
    classes = {kind.code: kind for kind in vars(studio.errors).values() if isinstance(kind, type) and issubclass(kind, StudioError)}
    return HEAD + "".join(_row(code, key, said[key], classes.get(code)) for code, key in rows)


def _row(code: str, key: str, said: dict, kind: type[StudioError] | None) -> str:
    field = "" if kind is None or kind.parameter is None else f"`{PARAMETERS.get(kind.parameter, kind.parameter)}`"
    cells = (f"`{code}`", "" if kind is None else status_of(kind), field, "" if key == code else f"`{key}`", _shown(said["fact"]))
    return f"| {' | '.join(map(str, cells))} | {_shown(said['hint'])} |\n"


def _shown(sentence: str | dict) -> str:
    return sentence if isinstance(sentence, str) else sentence["other"]


if __name__ == "__main__":
    TABLE.write_text(error_table(), encoding="utf-8")
