"""The page's scripts that need no page: `node --test` runs the claims of each *.test.js in this folder."""

import re
import subprocess
import sys
from pathlib import Path

import playwright

HERE = Path(__file__).parent
NODE = Path(playwright.__file__).parent / "driver" / ("node.exe" if sys.platform == "win32" else "node")  # the one that drives the browsers


def test_scripts_that_need_no_page_do_what_their_tests_claim():
    files = sorted(file.name for file in HERE.glob("*.test.js"))
    # One process for all files: a start of node costs more than a file.
    command = [str(NODE), "--import=./english.js", "--test", "--test-isolation=none", "--test-reporter=tap", *files]
    ran = subprocess.run(command, cwd=HERE, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not ran.stderr, ran.stderr
    assert int(re.search(r"^# pass (\d+)$", ran.stdout, re.MULTILINE)[1]) >= len(files) > 0
