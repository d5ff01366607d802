"""Claims about the words of reports and commands: each is there, in every language, with the values that it is given."""

import re
from itertools import chain
from typing import get_args

import pytest

from studio.listening.plan.design import Role
from studio.listening.plan.plan import METHODS
from studio.listening.report.plots.plots import PLOTS
from studio.words.sentences import LANGUAGES, sentences_in
from tests.house.source_files import ROOT, text_of

FOLDERS = ("studio/listening/report", "studio/listening/foreign", "studio/commands")
OF_SCRIPTS = [*(ROOT / "studio/commands").glob("*script*.py"), ROOT / "studio/commands/progress_line.py"]
OF_EVALUATIONS = [*(ROOT / "studio/commands").glob("evaluate*.py")]
FILES = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py") if file not in (*OF_SCRIPTS, *OF_EVALUATIONS)]
KEY = re.compile(r'"((?:report|import|command|judge)_[a-z0-9_]+)"')


def keys() -> set[str]:
    """Those that stand in the sources, and those that are made of a method, a role, a plot or a test."""
    made = [
        *(f"report_{kind}_{method.replace('-', '_')}" for method in METHODS for kind in ("method", "standard")),
        *(f"report_role_{role.replace('-', '_').replace('.', '')}" for role in get_args(Role) if role != "system"),
        *(f"report_plot_{kind}" for kind in PLOTS if kind != "pairs"),
    ]
    return {*chain.from_iterable(KEY.findall(text_of(file)) for file in FILES), *made}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_there_in_every_language(language):
    words = sentences_in(language).sections["tests"]
    assert len(keys()) > 100
    assert not keys() - set(words)
    of_scripts = {*chain.from_iterable(KEY.findall(text_of(file)) for file in OF_SCRIPTS)}
    assert len(of_scripts) > 10 and not of_scripts - set(sentences_in(language).sections["scripts"])
    of_evaluations = {*chain.from_iterable(KEY.findall(text_of(file)) for file in OF_EVALUATIONS)}
    assert len(of_evaluations) > 10 and not of_evaluations - set(sentences_in(language).sections["evaluations"])


def test_one_is_not_several():
    assert sentences_in("en").words("tests.check_gold", {"n": 1}) == "1 sound that is obviously bad shows who listens"
    assert sentences_in("fr").words("tests.check_traps", {"n": 1}) == "1 question montre qui lit"
