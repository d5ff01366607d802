"""uv.lock holds what the files of requirements pin, for every Python and system, and names no index but the public one."""

import re
import tomllib
from functools import cache

import pytest

from tests.house.source_files import ROOT, text_of
from tests.house.test_requirements import normal, pins

PROJECT = "voice-cloning-studio"
PUBLIC_INDEX = "https://pypi.org" + "/simple"
PYTHONS = ("cp311", "cp312", "cp313", "cp314")
# A name of a file for each system that is supported.
SYSTEMS = {"Linux": r"manylinux[\w.]*x86_64", "Arm": r"manylinux[\w.]*aarch64", "macOS": r"macosx\w*arm64", "Windows": r"win_amd64"}
PLAIN = re.compile(r"-none-any\.whl$")


@cache
def lock() -> dict:
    return tomllib.loads(text_of(ROOT / "uv.lock"))


@cache
def project() -> dict:
    return next(package for package in lock()["package"] if package["name"] == PROJECT)


def locked(name: str) -> list[dict]:
    return [package for package in lock()["package"] if package["name"] == name]


def test_the_lock_is_of_the_requirements_and_extras_as_they_stand():
    """`make lock` after a change of either."""
    asked = {"run": pins("requirements.txt")}
    extras = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    asked |= {extra: pins(f"requirements-{extra}.txt") for extra in extras}
    held = {name: {} for name in asked}
    for wanted in project()["metadata"]["requires-dist"]:
        extra = re.search(r"extra == '(\w+)'", wanted.get("marker", ""))
        held[extra[1] if extra else "run"][wanted["name"]] = wanted["specifier"].removeprefix("==")
    assert held == asked


def test_each_pin_is_locked_at_its_version_and_with_hashes():
    for file in ("requirements.txt", "requirements-dev.txt", "requirements-scale.txt", "requirements-ears.txt"):
        for name, version in pins(file).items():
            (package,) = locked(name)
            assert package["version"] == version, name
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", wheel["hash"]) and wheel["size"] for wheel in package["wheels"]), name


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_the_studio_runs_on_has_a_file_for_every_python_of_every_system(system):
    """One of its own, or one that fits all."""
    for name in pins("requirements.txt"):
        (package,) = locked(name)
        files = [wheel["url"].rpartition("/")[2] for wheel in package["wheels"]]
        fitting = [file for file in files if PLAIN.search(file) or re.search(SYSTEMS[system], file)]
        for python in PYTHONS:
            assert any(f"-{python}-" in file or "-abi3-" in file or "-py3-" in file or "-py2.py3-" in file for file in fitting), (
                name,
                python,
            )


def test_the_lock_names_the_public_index_and_no_file_of_another_host():
    sources = {package["source"].get("registry") for package in lock()["package"] if package["name"] != PROJECT}
    assert sources == {PUBLIC_INDEX}
    hosts = set(re.findall(r'url = "https://([^/"]+)/', text_of(ROOT / "uv.lock")))
    assert hosts == {"files.python" + "hosted.org"}
    assert lock()["requires-python"] == tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["requires-python"]


def test_every_package_is_reached_from_a_pin():
    """Nothing lies in the lock that nobody asked for."""
    reached, waiting = set(), [PROJECT]
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        for package in locked(name):
            groups = [package.get("dependencies", []), *package.get("optional-dependencies", {}).values()]
            waiting += [normal(wanted["name"]) for group in groups for wanted in group]
    assert reached == {package["name"] for package in lock()["package"]}
