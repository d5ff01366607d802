"""Dialect: each fact differs, is asked for, and stands in the README."""

import re
from dataclasses import fields

from studio.settings import OWN_DIALECT, VLLM_OMNI_DIALECT, Dialect, Settings
from tests.house.source_files import ROOT, product_files, text_of

FACTS = [fact.name for fact in fields(Dialect)]


def test_a_fact_is_one_in_which_the_two_differ():
    assert [name for name in FACTS if getattr(OWN_DIALECT, name) == getattr(VLLM_OMNI_DIALECT, name)] == []


def test_each_fact_is_asked_for_by_its_name_and_nobody_asks_which_dialect_it_is():
    rooms = ROOT / "engines", ROOT / "studio/settings"  # engines know dialects of servers elsewhere
    code = {file: text_of(file) for file in product_files() if not any(map(file.is_relative_to, rooms))}
    asked = set(re.findall(r"dialect(?:_of\(\w+\))?\.(\w+)", "\n".join(code.values()), re.IGNORECASE))
    assert [name for name in FACTS if name not in asked] == []
    assert [file.name for file, text in code.items() if re.search(r"strict_compat|dialect (?:is|==|!=) ", text)] == []


def test_the_readme_tells_of_each_fact():
    table = (ROOT / "studio/README.md").read_text(encoding="utf-8").partition("## Where we deviate")[2].partition("\n## ")[0]
    told = [name for row in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert told == FACTS


def test_one_setting_chooses():
    assert Settings().dialect is OWN_DIALECT
    assert Settings(strict_compat=True).dialect is VLLM_OMNI_DIALECT
