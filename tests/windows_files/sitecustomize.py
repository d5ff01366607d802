"""Run by Python when it starts: a child of a test that plays Windows' file rules plays them too."""

import importlib
import os
from pathlib import Path

windows_files = importlib.import_module("windows_files")  # which lies beside it

if windows_files.ROOT_VARIABLE in os.environ:
    rules = windows_files.WindowsFiles(Path(os.environ[windows_files.ROOT_VARIABLE]))
    rules.join()
    windows_files.play(rules, setattr, delattr)
