"""The set-up of an environment: what it fetches is said before, with sizes; what goes wrong is a sentence with the next step.

A small project with an index of its own stands for the studio: nothing leaves this machine.
"""

import ast
import contextlib
import functools
import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from tests.house.source_files import ROOT, text_of

SCRIPT = ROOT / "deploy/setup.py"
UV = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}") or shutil.which("uv")
NEEDS_UV = pytest.mark.skipif(not UV, reason="uv is not installed: make setup-dev")
NOWHERE = "http://127.0.0.1:9"  # nothing listens there
CUDA_BYTES, CPU_BYTES = 40_000, 4_000
WHEELS = {
    "": (("torch", "2.11.0", CUDA_BYTES), ("torchaudio", "2.11.0", 100), ("tiny", "1.0", 100), ("tiny", "1.1", 100), ("hears", "3.0", 100))
}
WHEELS["cpu"] = (("torch", "2.11.0+cpu", CPU_BYTES), ("torchaudio", "2.11.0+cpu", 100))
PROJECT = """
[project]
name = "voice-cloning-studio"
version = "1"
requires-python = ">=3.11"
dependencies = ["torch==2.11.0", "torchaudio==2.11.0", "tiny==1.0"]
"""


def load_setup():
    spec = importlib.util.spec_from_file_location("environment_setup", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


setup = load_setup()


def make_wheel(folder: Path, name: str, version: str, n_bytes: int) -> Path:
    """A package of one file of noise, which does not shrink."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}.py", f"data = '{os.urandom(n_bytes // 2).hex()}'")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", f"{name}.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")
    return wheel


class Files(http.server.SimpleHTTPRequestHandler):
    """Breaks off in the middle of files whose name has a word of `broken`; `sent` are those that went out whole."""

    broken: ClassVar[set[str]] = set()
    sent: ClassVar[list[str]] = []

    def copyfile(self, source, outputfile) -> None:
        if any(word in self.path for word in self.broken):
            outputfile.write(source.read(50))
            raise ConnectionAbortedError
        super().copyfile(source, outputfile)
        self.sent.append(self.path.rpartition("/")[2])

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600, immutable")  # as the public index says of its files
        super().end_headers()

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """It says nothing."""


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Iterator[str]:
    """Addresses end in /simple, and /cpu/simple for PyTorch's builds without CUDA."""
    folder = tmp_path_factory.mktemp("index")
    for part, wheels in WHEELS.items():
        for name, version, n_bytes in wheels:
            wheel = make_wheel(folder / part / "simple" / name, name, version, n_bytes)
            with (wheel.parent / "index.html").open("a", encoding="utf-8") as page:
                page.write(f'<a href="{wheel.name}#sha256={sha256(wheel.read_bytes()).hexdigest()}">{wheel.name}</a>\n')
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def studio(index, tmp_path) -> SimpleNamespace:
    """A checkout with an environment, and a way to set it up."""
    (tmp_path / "deploy").mkdir()
    shutil.copy(SCRIPT, tmp_path / "deploy")
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "requirements.txt").write_text("torch==2.11.0\ntorchaudio==2.11.0\ntiny==1.0\n", encoding="utf-8")
    (tmp_path / "requirements-ears.txt").write_text(f"hears==3.0 \\\n    --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    surroundings |= {
        "PIP_INDEX_URL": f"{index}/simple",
        "PIP_CONFIG_FILE": os.devnull,
        "UV_NO_CONFIG": "1",
        "UV_CACHE_DIR": str(tmp_path / "cache"),
    }
    surroundings |= {"HTTPS_PROXY": NOWHERE, "NO_PROXY": "127.0.0.1", "UV_HTTP_RETRIES": "0", "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1"}
    python = make_environment(tmp_path)
    if UV:
        command = [UV, "lock", "--quiet", "--default-index", f"{index}/simple", "--python", sys.executable]
        subprocess.run(command, cwd=tmp_path, env=surroundings, check=True, timeout=60)
        with (tmp_path / "uv.lock").open("a", encoding="utf-8") as lock:
            lock.write(f'\n[[package]]\nname = "uv"\nversion = "{version_of_uv()}"\nsource = {{ registry = "{index}" }}\n')

    def run(*arguments: str, **changed: str) -> SimpleNamespace:
        command = [python, "deploy/setup.py", *arguments]
        ran = subprocess.run(command, cwd=tmp_path, env=surroundings | changed, capture_output=True, text=True, check=False, timeout=120)
        return SimpleNamespace(status=ran.returncode, told=ran.stdout, error=ran.stderr)

    def installed(name: str) -> str:
        found = list(tmp_path.glob(f".venv/lib/*/site-packages/{name}-*.dist-info"))
        return found[0].name.removesuffix(".dist-info").partition("-")[2] if found else ""

    return SimpleNamespace(run=run, installed=installed, folder=tmp_path, python=python)


def make_environment(folder: Path) -> Path:
    """With pip and uv of this Python's, which are not copied."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True, timeout=120)
    (site,) = folder.glob(".venv/lib/*/site-packages")
    pip = metadata.distribution("pip")
    for name in ("pip", f"pip-{pip.version}.dist-info"):
        (site / name).symlink_to(pip.locate_file(name))
    if UV:
        (folder / ".venv/bin/uv").symlink_to(UV)
        about = site / f"uv-{version_of_uv()}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: uv\nVersion: {version_of_uv()}\n", encoding="utf-8")
    return folder / ".venv/bin/python"


@functools.cache
def version_of_uv() -> str:
    return subprocess.run([UV, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]


@NEEDS_UV
def test_what_is_fetched_is_said_before_with_sizes_and_is_what_is_locked(studio):
    ran = studio.run("run")
    assert ran.status == 0, ran.error
    assert re.search(r"To fetch for Python 3\.\d+: 0\.\d MB, up to 0\.\d MB on the disk\. Packages: 3\.", ran.told)
    assert ran.told.index("The largest: torch 2.11.0") < ran.told.index("Installed:")
    assert "Its own index did not answer within 3 s." in ran.told, "whose PyTorch it is"
    assert (studio.installed("tiny"), studio.installed("torch")) == ("1.0", "2.11.0")
    assert "Nothing is to be fetched" in studio.run("run").told


@NEEDS_UV
def test_an_index_without_cuda_gives_its_pytorch_and_the_next_set_up_leaves_it(studio, index):
    ran = studio.run("run", "--torch", f"{index}/cpu/simple")
    assert ran.status == 0 and studio.installed("torch") == "2.11.0+cpu", ran.error
    again = studio.run("run")
    assert "PyTorch 2.11.0+cpu is here." in again.told and "Nothing is to be fetched" in again.told
    assert studio.run("run", "--torch", "pypi").status == 0 and studio.installed("torch") == "2.11.0"


@NEEDS_UV
def test_further_indexes_of_pip_are_asked_by_uv_too(studio, index):
    ran = studio.run("run", PIP_EXTRA_INDEX_URL=f"{index}/cpu/simple")
    assert ran.status == 0 and studio.installed("torch") == "2.11.0+cpu", ran.error


@NEEDS_UV
def test_an_index_that_uv_is_told_goes_before_that_of_pip(studio, index):
    ran = studio.run("run", PIP_INDEX_URL=NOWHERE, UV_DEFAULT_INDEX=f"{index}/simple")
    assert ran.status == 0 and studio.installed("torch") == "2.11.0", ran.error


@NEEDS_UV
def test_pip_does_it_without_uv_and_is_told_the_same(studio, index):
    ran = studio.run("run", "--by", "pip", "--torch", f"{index}/cpu/simple")
    assert ran.status == 0 and studio.installed("torch") == "2.11.0+cpu", ran.error
    assert re.search(r"To fetch for Python 3\.\d+: 0\.0 MB, up to 0\.0 MB on the disk\. Packages: 3\.", ran.told)
    assert "Nothing is to be fetched" in studio.run("run", "--by", "pip").told
    refused = studio.run("run", "--by", "pip", "--torch", "pypi")
    assert refused.status == 1 and "PyTorch 2.11.0+cpu is here, and pip leaves it. First:" in refused.error


def test_pip_refuses_a_pytorch_that_it_cannot_choose(monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "_installed", lambda name: "")
    with pytest.raises(setup.SetupFailed, match=r"pip finds no PyTorch for rocm\. Give the address"):
        setup.Pip("run", tmp_path).torch("rocm")


@NEEDS_UV
def test_pip_goes_on_where_uv_reaches_no_index_and_never_where_uv_was_asked_for(studio):
    alone = {"UV_OFFLINE": "1", "UV_CACHE_DIR": str(studio.folder / "empty")}
    assert studio.run("run", "--by", "uv", **alone).status == 1 and not studio.installed("torch")
    ran = studio.run("run", **alone)
    assert ran.status == 0 and studio.installed("torch") == "2.11.0", ran.error
    assert "pip tries it, which takes longer." in ran.told


@NEEDS_UV
def test_pip_asks_the_index_that_uv_is_told(studio, index):
    ran = studio.run("run", "--by", "pip", PIP_INDEX_URL="", UV_DEFAULT_INDEX=f"{index}/simple")
    assert ran.status == 0 and studio.installed("tiny") == "1.0", ran.error


@NEEDS_UV
@pytest.mark.parametrize("by", ["uv", "pip"])
def test_without_a_network_it_says_so_and_goes_on_at_the_next_run(studio, by):
    ran = studio.run("run", "--by", by, PIP_INDEX_URL=NOWHERE)
    assert ran.status == 1 and f"The set-up stopped. {by} could not fetch all" in ran.error and "goes on where it was" in ran.error
    assert studio.run("run", "--by", by).status == 0


@NEEDS_UV
def test_what_is_not_to_be_had_for_this_python_is_told_with_another(studio):
    (studio.folder / "requirements-ears.txt").write_text("hears==4.0\n", encoding="utf-8")
    ran = studio.run("ears")
    assert (
        ran.status == 1
        and re.search(r"For Python 3\.\S+ on \w+ \w+ not all packages are to be had", ran.told)
        and "make PYTHON=" in ran.told
        and "pip could not fetch all" in ran.error
    )


@NEEDS_UV
@pytest.mark.parametrize("by", ["uv", "pip"])
def test_a_file_with_another_hash_is_not_installed(studio, by):
    ran = studio.run("ears", "--by", by)
    assert ran.status == 1 and not studio.installed("hears"), ran.told


@NEEDS_UV
def test_a_set_up_that_broke_off_goes_on_and_what_the_cache_holds_is_not_fetched_again(studio, monkeypatch):
    monkeypatch.setattr(Files, "broken", {"tiny-1.0"})
    assert studio.run("run").status == 1 and not studio.installed("tiny")
    monkeypatch.setattr(Files, "broken", set())
    assert studio.run("run").status == 0 and studio.installed("tiny") == "1.0"
    shutil.rmtree(studio.folder / ".venv")
    make_environment(studio.folder)
    monkeypatch.setattr(Files, "sent", [])
    assert studio.run("run").status == 0 and studio.installed("torch") == "2.11.0"
    assert not [name for name in Files.sent if name.endswith(".whl")]


def test_another_python_than_an_environments_is_refused_with_the_way_to_one(studio):
    python = Path(sys.base_prefix) / "bin/python3"
    ran = subprocess.run([python, SCRIPT, "run"], capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 1 and "-m venv .venv" in ran.stderr


def test_a_python_that_is_too_old_can_read_the_script_and_is_told(monkeypatch, capsys):
    ast.parse(text_of(SCRIPT), feature_version=(3, 8))
    monkeypatch.setattr(setup.sys, "version_info", (3, 9, 1))
    assert setup.main(["run"]) == 1 and "Python 3.11 or newer is needed" in capsys.readouterr().err


def test_a_full_disk_is_told_before_a_byte_is_fetched(monkeypatch, tmp_path):
    monkeypatch.setattr(setup.shutil, "disk_usage", lambda place: SimpleNamespace(free=3_000_000_000))
    setup._check_space([setup.Package("torch", "1", 1_400_000_000)], tmp_path)
    with pytest.raises(setup.SetupFailed, match=r"has 3\.00 GB free; up to 3\.31 GB are needed\. Make room"):
        setup._check_space([setup.Package("torch", "1", 1_600_000_000)], tmp_path)


@pytest.fixture
def uv_that(tmp_path, monkeypatch) -> Callable[[str], object]:
    """uv with a program in its place; PyTorch is not installed, and nobody configured an index."""
    monkeypatch.setattr(setup, "_installed", lambda name: "")
    monkeypatch.setattr(setup, "_configuration_of_pip", dict)
    for name in setup.PIP_OPTIONS:
        monkeypatch.delenv(name, raising=False)

    def made(does: str):
        program = tmp_path / "uv"
        program.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        program.chmod(0o755)
        return setup.Uv(program, "run", tmp_path)

    return made


def test_pytorchs_own_index_is_taken_where_it_answers_and_named_by_the_machine(uv_that, monkeypatch):
    monkeypatch.setattr(setup.sys, "platform", "linux")
    monkeypatch.setattr(setup.shutil, "which", lambda name: None)
    backends = {"auto": "auto", "cpu": "cpu", "xpu": "xpu", "cuda": "cu130", "rocm": "rocm7.2", "cu126": "cu126"}
    for wanted, backend in backends.items():
        torch = uv_that("exit 0").torch(wanted)
        assert torch.source == ("--torch-backend", backend) and not torch.hashed and "of its own index" in torch.told
    monkeypatch.setattr(setup.shutil, "which", lambda name: name)  # a driver tells which version suits it
    assert uv_that("exit 0").torch("cuda").source == ("--torch-backend", "auto")


def test_where_pytorchs_own_index_is_silent_pypi_is_taken_and_told(uv_that, monkeypatch):
    monkeypatch.setattr(setup.sys, "platform", "linux")
    monkeypatch.setattr(setup, "ANSWER_SECONDS", 0.2)
    for does, told in (
        ("exit 2", "did not answer within 3 s"),
        ("exec sleep 30", "did not answer"),
        ("exit 1", "has no 2.11.0 of this kind"),
    ):
        torch = uv_that(does).torch("auto")
        assert not torch.source and torch.hashed and told in torch.told and "make setup TORCH=cpu" in torch.told
    with pytest.raises(setup.SetupFailed, match=r"PyPI has none for rocm\. Try again later"):
        uv_that("exit 2").torch("rocm")


def test_windows_is_told_that_pypis_pytorch_knows_no_card_and_what_mends_it(uv_that, monkeypatch):
    monkeypatch.setattr(setup.sys, "platform", "win32")
    monkeypatch.setattr(setup.shutil, "which", lambda name: None)  # which asks Windows itself
    assert r".venv\Scripts\python deploy\setup.py run --torch cuda" in uv_that("exit 2").torch("auto").told
    with pytest.raises(setup.SetupFailed, match="PyPI has none for cuda"):
        uv_that("exit 2").torch("cuda")


def test_every_part_is_in_the_makefile_and_its_files_are_there():
    makefile = text_of(ROOT / "Makefile")
    for name, part in setup.PARTS.items():
        assert f"$(call set_up,{name})" in makefile and all((ROOT / file).exists() for file in part.files), name
    assert re.search(r"^\$\(STAMP\): requirements\.txt uv\.lock ", makefile, re.MULTILINE), "a newer lock is installed"
