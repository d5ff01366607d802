"""Licenses of all that is installed are listed by one command; what says nothing is named."""

import subprocess
import sys
from email import message_from_string
from importlib.metadata import distributions
from types import SimpleNamespace

import pytest

from studio.commands.licenses import license_lines, license_of
from tests.house.source_files import ROOT, tracked

OSI = "Classifier: License :: OSI Approved"


def package(name: str, *about: str) -> SimpleNamespace:
    return SimpleNamespace(name=name, version="1.0", metadata=message_from_string("\n".join((f"Name: {name}", *about)) + "\n\n"))


@pytest.mark.parametrize(
    ("about", "license"),
    [
        (["License-Expression: MIT OR Apache-2.0", f"{OSI} :: BSD License"], "MIT OR Apache-2.0"),
        ([OSI, f"{OSI} :: MIT License", f"{OSI} :: Apache Software License", "License: whatever"], "Apache Software License, MIT License"),
        (["License: BSD-3-Clause"], "BSD-3-Clause"),
        (["License: MIT License", "        Copyright (c) 2022, and the whole text"], "MIT License"),
        ([f"License: {'a whole text on one line ' * 4}"], "unknown"),
        (["License: UNKNOWN"], "unknown"),
        ([], "unknown"),
    ],
)
def test_a_package_is_taken_at_its_most_exact_word(about, license):
    assert license_of(package("one", *about)) == license


def test_packages_stand_at_their_license_and_what_says_nothing_comes_last_with_its_name():
    lines = list(license_lines([package("b", "License-Expression: MIT"), package("a", "License-Expression: MIT"), package("silent")]))
    assert lines[0] == "MIT: a 1.0, b 1.0" and lines[-1] == "unknown: silent 1.0"
    assert list(license_lines([]))[-1] == "unknown: none"


def test_the_command_names_every_installed_package_and_every_notice_that_is_carried():
    ran = subprocess.run(
        [sys.executable, "app.py", "licenses"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert not [one.name for one in distributions() if f"{one.name} {one.version}" not in ran.stdout]
    notices = [file.relative_to(ROOT).as_posix() for file in tracked("*NOTICE*")]
    assert notices and not [place for place in notices if f"\n{place}: " not in ran.stdout]
