"""The engine that engines/README.md teaches is found by its entry point, speaks and keeps the contract; so does what engines.new writes."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator

import pytest

from engines.catalog import engine_ids, open_engine
from engines.contract_suite import *  # noqa: F403
from engines.contract_suite import Subject
from engines.errors import EngineUnavailable
from engines.new import NameUnfit, frame_files, main, write_frame
from tests.engines.installed_package import install_project, on_the_path
from tests.house.source_files import ROOT

ID, OWN, MOST_LINES = "lilt", "my_own", 150  # as it is printed, and under another name


@pytest.fixture(scope="module")
def subject(tmp_path_factory) -> Iterator[Subject]:
    """As the frame's own test gives it: the suite, which this module imports as that does, then passes there, too."""
    folder = tmp_path_factory.mktemp("tutorial") / "package"
    write_frame(OWN, folder)
    install_project(folder)
    with on_the_path(folder):
        spec = importlib.util.spec_from_file_location(f"{OWN}_test", folder / "tests" / f"test_{OWN}.py")
        written = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(written)
        given = written.subject.__wrapped__()
        yield next(given)
        assert next(given, None) is None


def test_the_engine_of_the_readme_is_short_and_stands_behind_ours(subject):
    files = frame_files(ID)
    assert sum(len(text.splitlines()) for path, text in files.items() if path.startswith(f"{ID}_engine/")) <= MOST_LINES
    assert set(frame_files(OWN)) == {
        "pyproject.toml",
        "README.md",
        "my_own_engine/__init__.py",
        "my_own_engine/engine.py",
        "tests/test_my_own.py",
    }
    assert not [path for path, text in frame_files(OWN).items() if ID in (path + text).lower()]
    assert engine_ids()[-1] == subject.engine.info.id == OWN and type(subject.engine).__name__ == "MyOwnEngine"
    for refused in ({"device": "cuda"}, {"dtype": "float16"}):
        with pytest.raises(EngineUnavailable, match="My Own computes"):
            open_engine(OWN, **refused)


def test_it_is_written_as_the_house_writes(tmp_path):
    write_frame(ID, tmp_path / "frame")
    for verb in (("format", "--check"), ("check",)):
        command = [sys.executable, "-m", "ruff", *verb, "--no-cache", "--config", ROOT / "pyproject.toml", tmp_path / "frame"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "an id has small letters, digits") for name in ("Mine", "9lives", "my-own", "a b", "", "ü", "a" * 41, "../up", "a\n")),
        *((name, "not studio, refused or remote") for name in ("studio", "studio_x", "remote", "remote_gpu", "refused_x")),
        *((name, "There is an engine called") for name in ("espeak", "qwen3_tts_design")),
    ],
)
def test_a_name_that_no_engine_can_have_is_refused_in_words_and_nothing_is_written(name, said, tmp_path, capsys):
    with pytest.raises(NameUnfit, match=said):
        write_frame(name, tmp_path / "frame")
    with pytest.raises(SystemExit) as ended:
        main([name, str(tmp_path / "frame")])
    assert ended.value.code == 2 and said in capsys.readouterr().err and not (tmp_path / "frame").exists()


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    with pytest.raises(NameUnfit, match="is there already"):
        write_frame("mine", tmp_path)
    assert not [*tmp_path.iterdir()]
