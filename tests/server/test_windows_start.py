"""deploy/windows/start.cmd, a double click on Windows: what it names is there, and cmd.exe can read it."""

import re
import subprocess
import tomllib
from pathlib import Path

import app

ROOT = Path(__file__).parents[2]
START = ROOT / "deploy/windows/start.cmd"
TEXT = START.read_bytes().decode("ascii")  # cmd.exe reads it in whatever code page the machine has
LINES = TEXT.split("\r\n")


def test_its_lines_end_as_cmd_reads_them_wherever_it_is_checked_out():
    assert "\n" not in TEXT.replace("\r\n", "") and LINES[-1] == ""
    said = subprocess.run(["git", "check-attr", "eol", START], cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    assert said.endswith("eol: crlf\n")


def test_the_files_and_options_that_it_names_are_there():
    ran = [line for line in LINES if line.startswith(r".venv\Scripts\python.exe ")]
    assert len(ran) == 2
    for line in ran:
        script, *words = [word for word in line.split()[1:] if word != "%*"]
        assert (ROOT / script.replace("\\", "/")).is_file(), script
        if script == "app.py":
            assert app._parser().parse_args(words).open
    assert (ROOT / re.search(r"fc /b (\S+)", TEXT)[1]).is_file()
    assert LINES[4] == r'cd /d "%~dp0..\.."' and START.parents[2] == ROOT


def test_every_label_is_there_and_every_step_that_fails_keeps_the_window_open():
    labels = {line[1:] for line in LINES if line.startswith(":")}
    assert set(re.findall(r"(?:goto |call :)(\w+)", TEXT)) == labels
    for number, line in enumerate(LINES):
        if line.startswith(("cd ", "uv ", "%PYTHON%", r".venv\Scripts")):
            assert LINES[number + 1].startswith("if %errorlevel% neq 0 goto "), line
    assert "pause" in LINES[LINES.index(":failed") : LINES.index(":try")]


def test_it_takes_the_pythons_that_the_project_supports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    supported = re.findall(r"Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    assert set(re.findall(r'"py -(3\.\d+)"', TEXT)) == set(supported)
    oldest, newest = re.search(r"\((3, \d+)\) <= sys.version_info\[:2\] <= \((3, \d+)\)", TEXT).groups()
    assert [oldest.replace(", ", "."), newest.replace(", ", ".")] == [supported[0], supported[-1]]
