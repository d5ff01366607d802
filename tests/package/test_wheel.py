"""The package: built, installed into an empty environment, started and heard, all without network and out of reach of the sources."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from tests.house.source_files import ROOT, imports, module_name, nodes_of, tracked
from tests.stand_ins import patient_http
from tests.stand_ins.server_process import start_server

PARTS = ("app.py", "engines", "studio", "assets", "pyproject.toml", "README.md", "LICENSE", "requirements.txt")  # that it is made of
MOST_WHEEL_BYTES = 13_000_000
FIGURES = "studio.measure"  # which app.py asks for by name, to say where they are
# Run in the environment: where the package lies, and what is lacking of what it says it needs.
PROBE = """
import importlib.metadata as m, json, app, engines, studio, assets
wanted = [one.split("==") for one in m.requires("voice-cloning-studio") if "extra ==" not in one]
have = {name: m.version(name).partition("+")[0] for name, _ in wanted}
files = [app.__file__, engines.__file__, studio.__file__, *assets.__path__]
print(json.dumps([files, len(wanted), {name: have[name] for name, version in wanted if have[name] != version}]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built of a copy, since building writes beside its sources."""
    folder = tmp_path_factory.mktemp("package")
    for file in tracked(*PARTS):
        place = folder / "source" / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--check-build-dependencies",
        "-w",
        folder,
        folder / "source",
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory) -> Path:
    """An empty environment with the wheel in it, which sees what is installed here."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin/python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--no-compile", wheel)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (site / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run(*command: object, cwd: Path | None = None, status: int = 0) -> subprocess.CompletedProcess:
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" or "pip" in command}
    ran = subprocess.run([*map(str, command)], cwd=cwd, env=surroundings, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran


def test_the_wheel_holds_what_runs_and_nothing_that_is_for_a_checkout(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    tops = {name.partition("/")[0] for name in held}
    assert tops - {next(name for name in tops if name.endswith(".dist-info"))} == {"app.py", "engines", "studio", "assets"}
    ours = {str(file.relative_to(ROOT)): file for file in tracked("app.py", "engines", "studio", "assets")}
    left_out = ours.keys() - held
    outside = re.compile(r"studio/measure/|studio/(.*/)?[A-Z]+\.md|assets/screenshots/|engines/(.*/)?(training|gauges)/")
    assert not [name for name in left_out if not outside.match(name)]
    assert not [name for name in held if outside.match(name)] and any("training/" in name for name in left_out)
    assert all(
        any(name.endswith(kind) for name in held) for kind in (".safetensors", ".json", ".js", ".css", ".html", ".svg", ".flac", ".txt")
    )
    assert wheel.stat().st_size < MOST_WHEEL_BYTES
    modes = {info.filename: info.external_attr >> 16 for info in zipfile.ZipFile(wheel).infolist()}
    assert all(modes[name] & 0o100 for name in held if name.endswith(".sh")), "a script can be run"


def test_nothing_in_the_wheel_asks_for_what_is_not_in_it(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    files = {str(file.relative_to(ROOT)): file for file in tracked("*.py")}
    absent = {module_name(file) for place, file in files.items() if place not in held}
    assert FIGURES in absent
    wrong = []
    for place in sorted(held & files.keys()):
        named = set(imports(files[place])) | {
            node.value for node in nodes_of(files[place]) if isinstance(getattr(node, "value", None), str)
        }
        wrong += [(place, name) for name in named & absent]
    assert {place for place, _ in wrong} == {"app.py"} and all(name.startswith(FIGURES) for _, name in wrong), wrong


def test_the_package_says_what_it_is(wheel):
    archive = zipfile.ZipFile(wheel)
    about = message_from_bytes(archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))))
    assert (about["License-Expression"], about["License-File"], about["Requires-Python"]) == ("Apache-2.0", "LICENSE", ">=3.11")
    assert set(about.get_all("Provides-Extra")) == {"ears", "scale", "dev"}
    assert about["Description-Content-Type"] == "text/markdown" and about.get_all("Project-URL") is None, "there is no address to name"
    scripts = archive.read(next(name for name in archive.namelist() if name.endswith("/entry_points.txt"))).decode()
    assert "voice-studio = app:main" in scripts


def test_installed_it_serves_page_and_api_and_speaks(environment, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    files, n_wanted, lacking = json.loads(run(environment / "bin/python", "-c", PROBE, cwd=tmp_path).stdout)
    assert all(Path(file).is_relative_to(site) for file in files)
    assert n_wanted > 20 and not lacking
    program = {"python": str(environment / "bin/python"), "program": [str(environment / "bin/voice-studio")]}
    with start_server(tmp_path / "speakers", headless=False, environment={"PYTHONPATH": ""}, **program) as server:
        assert patient_http.get(f"{server.url}/health").status_code == httpx.codes.OK
        page = patient_http.get(server.url)
        assert page.status_code == httpx.codes.OK and "gradio" in page.text
        clip = base64.b64encode((site / "assets/voices/demo.flac").read_bytes()).decode()
        body = {"input": "Hello from a wheel.", "model": "espeak", "ref_audio": f"data:audio/flac;base64,{clip}"}
        answer = patient_http.post(f"{server.url}/v1/audio/speech", json=body)
        assert answer.status_code == httpx.codes.OK, answer.text
    (tmp_path / "hello.wav").write_bytes(answer.content)
    samples, rate = soundfile.read(tmp_path / "hello.wav")
    assert len(samples) > rate / 2 and np.sqrt(np.mean(samples**2)) > 0.01, "it is to be heard"


def test_installed_it_says_where_figures_are_made(environment, tmp_path):
    said = run(environment / "bin/voice-studio", "bench", cwd=tmp_path, status=2).stderr
    assert said == "Figures are made in a checkout of the repository, not by an installed package. Run there: make bench\n"
