"""A forked program is as one that Python has started: its own words, files, folder, environment and end."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.processes.warm_process import WarmProcess, process_of, ran

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a process of others ends")
TELLING = """
import json, os, sys, atexit, tempfile
from studio.analysis import packages
atexit.register(lambda: print("over"))
known = {"words": sys.argv[1:], "folder": os.getcwd(), "told": os.environ.get("SPACE_ID"), "temporary": tempfile.gettempdir()}
print(json.dumps(known | {"path": sys.path[0], "name": __name__, "ears": bool(packages.find_spec("speechmos"))}))
sys.stderr.write(sys.stdin.readline())
sys.exit(3)
"""


@pytest.fixture
def program(tmp_path):
    """program(code) -> its command line."""

    def write(code: str, *words: str) -> list[str]:
        (tmp_path / "told.py").write_text(code, encoding="utf-8")
        return [sys.executable, str(tmp_path / "told.py"), *words]

    return write


def test_it_has_words_files_and_surroundings_of_its_own_and_ends_as_it_says(program, tmp_path):
    pipe = subprocess.PIPE
    environment = {**os.environ, "SPACE_ID": "someone", "TMPDIR": str(tmp_path)}
    asked = program(TELLING, "one", "zwei €")
    with process_of(asked, env=environment, cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as child:
        assert isinstance(child, WarmProcess) and child.poll() is None
        child.stdin.write("heard\n")
        child.stdin.flush()
        told, over = child.stdout.read().splitlines()
        assert child.stderr.read() == "heard\n" and over == "over"
    known = {"words": ["one", "zwei €"], "folder": str(tmp_path), "told": "someone", "temporary": str(tmp_path)}
    assert json.loads(told) == known | {"path": str(tmp_path), "name": "__main__", "ears": False}
    assert child.wait() == child.poll() == child.returncode == 3


def test_what_it_does_stays_with_it(program):
    changing = "import os, json, studio.settings as s\nprint(os.environ.pop('PATH', ''), hasattr(s, 'mark'))\ns.mark = 1"
    first, second = ran(program(changing)), ran(program(changing))
    assert first.stdout == second.stdout and first.stdout.endswith("False\n")


def test_an_error_is_told_and_signals_are_its_own(program):
    wrong = ran(program("1 / 0"))
    assert wrong.returncode == 1 and "ZeroDivisionError" in wrong.stderr
    waiting = "import time\ntry:\n    print('here', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    raise SystemExit(7)"
    for number, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 7)):
        with process_of(program(waiting), stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout.readline() == "here\n"
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(0)
            child.send_signal(number)
            assert child.wait(60) == status


def test_what_tells_python_how_to_begin_is_told_to_one_that_begins(program):
    plain = ran(program("import sys\nprint(sys.stdout.encoding)"), env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert plain.stdout == "ascii\n"


@pytest.mark.windows_files
def test_windows_rules_are_played_in_it(program, tmp_path):
    held = ran(program(f"f = open({str(tmp_path / 'held')!r}, 'w')\nimport os\nos.unlink(f.name)"))
    assert held.returncode == 1 and "PermissionError" in held.stderr
