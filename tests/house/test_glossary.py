"""The glossary in studio/README.md: its names are in the code, and words that it replaced are not."""

import ast
import re

import pytest

from tests.house.source_files import ROOT, module_name, nodes_of, product_files

# Word that was there for something else, or for two things -> the one that is there now.
REPLACED = {
    "Hearing": "Delivery",
    "Turns": "Scheduler",
    "Turnstile": "FairSemaphore",
    "Said": "Utterance",
    "Advanced": "StepResult",
    "Beginning": "FrameStart",
    "Shelf": "WorkspaceSpeakers",
    "shelf": "workspace_speakers",
    "Desk": "ApiContext",
    "desk": "context",
    "Ears": "Estimators",
    "LeftElsewhere": "RemoteCleanup",
    "Warmth": "WarmResult",
    "Lookup": "CacheResult",
    "Standing": "Ranking",
    "Finishing": "Mastering",
    "Obstacle": "Incompatibility",
    "Catalogue": "Sentences",
    "Manuscript": "input sequence",
    "Recording": "Enrollment",
    "late_frames": "host_lag_frames",
    "foresees_end": "end_is_predicted",
}
# A lane is a column of Compare; what serves many streams is a batched decoder.
LANE = re.compile(r"(?i:(?:^|_)lanes?(?:_|$))|Lane")
BRITISH = re.compile(
    r"licence|colour|centre|neighbour|behaviour|favour|honour|analys(?:e|ing)|enrolment|judgement|catalogue"
    r"|(?:normal|quant|initial|token|organ|recogn|serial|optim|random|synthes|util)is(?:e|ation|ing)"
)
# Words of others: what plan files and the wire have, and a tensor's name.
KEPT = {"licence", "licences", "licence_url", "equalise_bandwidth", "centres"}


def glossary() -> list[tuple[str, str]]:
    """(word, names) of each row."""
    text = (ROOT / "studio/README.md").read_text(encoding="utf-8").split("## Glossary\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)[1:]


def identifiers(node: ast.AST) -> list[str]:
    """Of one node: what it names or is called."""
    found = [getattr(node, name, None) for name in ("id", "attr", "name", "arg")]
    return [name for name in found if isinstance(name, str)]


@pytest.mark.slow
def test_the_glossary_has_forty_words_and_each_of_its_names_is_in_the_code():
    rows = glossary()
    assert len(rows) >= 40
    known = {name for file in product_files() for node in nodes_of(file) for name in identifiers(node)} | {"LAYERS"}
    files = {file.name for file in product_files()}
    for word, names in rows:
        for name in re.findall(r"`([\w.]+)`", names):
            assert name in known | files, f"{word}: nothing is called {name}"


@pytest.mark.slow
def test_no_word_that_the_glossary_replaced_is_used_for_anything():
    used = [(file, name) for file in product_files() for node in nodes_of(file) for name in identifiers(node)]
    assert not [f"{file}: {name}, write {REPLACED[name]}" for file, name in used if name in REPLACED]
    engines = [(file, name) for file, name in used if module_name(file).startswith("engines.")]
    assert not [f"{file}: {name}" for file, name in engines if LANE.search(name)]


@pytest.mark.slow
def test_identifiers_are_american():
    used = {(file, name) for file in product_files() for node in nodes_of(file) for name in identifiers(node)}
    assert not [f"{file}: {name}" for file, name in used if BRITISH.search(name.lower()) and name not in KEPT]


@pytest.mark.parametrize("name", ["normalise", "colours", "EnrolmentRule"])
def test_the_search_for_british_spelling_finds_what_it_is_for(name):
    assert BRITISH.search(name.lower())
