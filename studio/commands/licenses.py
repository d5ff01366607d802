"""`python app.py licenses`: which licenses all that is installed has, and what is carried."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

__all__ = ["license_lines", "license_of"]

ROOT = Path(__file__).parents[2]
CARRYING = ("assets", "engines", "studio")  # folders with data that comes from others
CLASSIFIER = "License :: "
UNKNOWN = "unknown"
MOST_NAME_CHARACTERS = 60  # of a name; what is longer is a text


def license_lines(packages: Iterable[Distribution] | None = None) -> Iterator[str]:
    """One line for each license, then for each notice; last what says nothing, which a person has to look up.

    packages: those of this Python when left out.
    """
    found = defaultdict(set)
    for package in distributions() if packages is None else packages:
        found[license_of(package)].add(f"{package.name} {package.version}")
    unknown = found.pop(UNKNOWN, set())
    for name in sorted(found, key=str.lower):
        yield f"{name}: {', '.join(sorted(found[name], key=str.lower))}"
    for folder in CARRYING:
        for notice in sorted((ROOT / folder).rglob("NOTICE.txt")):
            first = notice.read_text(encoding="utf-8").strip().split("\n\n", 1)[0]
            yield f"{notice.relative_to(ROOT).as_posix()}: {' '.join(first.split())}"
    yield f"{UNKNOWN}: {', '.join(sorted(unknown, key=str.lower)) or 'none'}"


def license_of(package: Distribution) -> str:
    """Its expression, else its classifiers, else its field where that is a name; "unknown" where it says nothing."""
    about = package.metadata
    if expression := _first(about.get_all("License-Expression")):
        return expression
    classifiers = [one.removeprefix(CLASSIFIER) for one in about.get_all("Classifier") or () if one.startswith(CLASSIFIER)]
    if names := sorted({one.rpartition(" :: ")[2] for one in classifiers} - {"OSI Approved"}):
        return ", ".join(names)
    field = _first(about.get_all("License")).strip().split("\n", 1)[0].strip()
    return field if 0 < len(field) <= MOST_NAME_CHARACTERS and field.upper() != "UNKNOWN" else UNKNOWN


def _first(lines: list[str] | None) -> str:
    return lines[0] if lines else ""
