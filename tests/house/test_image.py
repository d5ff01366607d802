"""The image for one machine: Dockerfile and compose.yaml are linted, copy what there is and no more, and keep what they promise."""

import fnmatch
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import pytest
import yaml

from tests.house.source_files import ROOT, tracked

DOCKERFILES = (ROOT / "Dockerfile", ROOT / "deploy/Dockerfile")
BIN = Path(sys.executable).parent


@cache
def instructions() -> tuple[tuple[str, str], ...]:
    """Of the top Dockerfile, each with its argument on one line."""
    text = re.sub(r"^#.*\n", "", DOCKERFILES[0].read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    return tuple(tuple(line.split(None, 1)) for line in text.splitlines() if line.strip())


def arguments(name: str) -> list[str]:
    return [argument for instruction, argument in instructions() if instruction == name]


@cache
def compose() -> dict:
    return yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


@cache
def ignore_rules() -> tuple[str, ...]:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def is_in_context(place: str) -> bool:
    """Whether Docker is handed this file: the last rule of .dockerignore that matches it, or a folder above it, decides."""
    parts = PurePosixPath(place)
    names = [str(parts), *(str(parent) for parent in parts.parents if parent.name)]
    kept = True
    for rule in ignore_rules():
        pattern = rule.removeprefix("!")
        if any(fnmatch.fnmatch(name, pattern) or (pattern.startswith("**/") and fnmatch.fnmatch(name, pattern[3:])) for name in names):
            kept = rule.startswith("!")
    return kept


def copied(dockerfile: Path) -> Iterator[str]:
    """What a Dockerfile takes from its context."""
    text = dockerfile.read_text(encoding="utf-8")
    for words in re.findall(r"^COPY (.*)$", text, re.MULTILINE):
        yield from (word for word in words.split()[:-1] if not word.startswith("--"))
    yield from re.findall(r"--mount=type=bind,source=([^,]+)", text)


def test_the_linter_finds_nothing_in_the_dockerfiles():
    ran = subprocess.run([BIN / "hadolint", *DOCKERFILES], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
def test_compose_keeps_to_its_schema():
    command = [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", ROOT / "compose.yaml"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
def test_what_the_dockerfiles_copy_is_handed_to_them_and_nothing_else_is():
    places = [str(file.relative_to(ROOT)) for file in tracked()]
    handed = [place for place in places if is_in_context(place)]
    wanted = {place for dockerfile in DOCKERFILES for place in copied(dockerfile)}
    assert {"app.py", "assets", "engines", "packages.txt", "requirements.txt", "studio"} <= wanted
    for place in wanted:
        assert any(PurePosixPath(file).is_relative_to(place) for file in handed), place
    for place in handed:
        assert any(PurePosixPath(place).is_relative_to(whole) for whole in wanted), place
    assert not any(map(is_in_context, (".env", ".git/config", "out/site/index.html", "studio/__pycache__/server.pyc", "tests/conftest.py")))


def test_requirements_are_installed_before_the_source_is_copied():
    steps = [f"{name} {argument}" for name, argument in instructions()]
    first = {word: next(i for i, step in enumerate(steps) if word in step) for word in ("apt-get install", "pip install", "COPY studio")}
    assert first["apt-get install"] < steps.index("COPY requirements.txt ./") < first["pip install"] < first["COPY studio"]


def test_the_studio_in_a_container_is_nobodys_root_and_is_asked_how_it_is():
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", arguments("USER")[-1])
    assert [name for name, _ in instructions()].index("USER") > max(i for i, (name, _) in enumerate(instructions()) if name == "RUN")
    assert "http://127.0.0.1:7860/health" in arguments("HEALTHCHECK")[0]
    assert arguments("ENTRYPOINT") == ['["python", "app.py", "--host", "0.0.0.0"]'] and not arguments("CMD")
    assert arguments("EXPOSE") == ["7860"]


def test_voices_and_weights_lie_in_volumes():
    (environment,) = arguments("ENV")
    folders = re.findall(r"(?:SPEAKER_SAMPLES_DIR|HF_HOME)=(\S+)", environment)
    assert len(folders) == 2 and arguments("VOLUME") == [str(folders).replace("'", '"')]
    for service in compose()["services"].values():
        volumes = dict(volume.split(":") for volume in service["volumes"])
        assert set(volumes) == set(compose()["volumes"]) and set(volumes.values()) == set(folders)


def test_each_profile_starts_one_studio_for_this_machine_alone():
    services = compose()["services"]
    assert sorted(profile for service in services.values() for profile in service["profiles"]) == ["cpu", "cuda"]
    for service in services.values():
        assert service["ports"] == ["${PUBLISH:-127.0.0.1:7860}:7860"]
        assert service["env_file"] == [{"path": ".env", "required": False}] and "environment" not in service
        assert service["cap_drop"] == ["ALL"] and "user" not in service


def test_a_cpu_gets_wheels_without_cuda_and_a_gpu_its_devices_and_a_compiler():
    defaults = dict(argument.split("=", 1) for argument in arguments("ARG"))
    assert defaults == {"COMPILER": "", "TORCH_INDEX": "https://download.pytorch.org/whl/cpu"}
    by_profile = {service["profiles"][0]: service for service in compose()["services"].values()}
    assert by_profile["cpu"]["build"] == "." and "deploy" not in by_profile["cpu"]
    assert by_profile["cuda"]["build"]["args"] == {"TORCH_INDEX": "", "COMPILER": "gcc libc6-dev"}
    (device,) = by_profile["cuda"]["deploy"]["resources"]["reservations"]["devices"]
    assert device["driver"] == "nvidia" and device["capabilities"] == ["gpu"]
    assert "NVIDIA_DRIVER_CAPABILITIES=compute,utility" in arguments("ENV")[0]
