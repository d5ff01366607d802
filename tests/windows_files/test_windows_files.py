"""The rules themselves: what they refuse, how they word it, and what they leave alone."""

import mmap
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from tests.windows_files.windows_files import BAD_NAME, DENIED, EXISTS, IN_USE, TOO_LONG

pytestmark = pytest.mark.windows_files


def refused(call, *arguments) -> int | None:
    """The number by which Windows refuses, None where it does not."""
    try:
        call(*arguments)
    except OSError as error:
        return getattr(error, "winerror", error.errno)
    return None


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(4096))
    return path


def test_an_open_file_is_neither_renamed_nor_replaced_nor_removed_until_it_is_closed(file, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(b"new")
    with file.open("rb"):
        assert refused(os.rename, file, tmp_path / "b") == refused(file.unlink) == refused(os.remove, file) == IN_USE
        assert refused(os.replace, other, file) == DENIED
        assert refused(os.rename, tmp_path, tmp_path.with_name("moved")) == IN_USE, "nor a folder above it"
        with pytest.raises(PermissionError):
            shutil.rmtree(tmp_path)
    other.write_bytes(b"new")
    assert refused(os.replace, other, file) is None and file.read_bytes() == b"new"
    assert refused(file.unlink) is None


def test_what_another_process_has_open_is_open(file):
    code = "import sys; file = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"open\n"
        assert refused(file.unlink) == IN_USE
        holder.stdin.close()
        holder.wait()
    assert refused(file.unlink) is None


def test_a_child_follows_the_rules_too(file):
    code = "import os, sys; file = open(sys.argv[1]); os.unlink(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=False)
    assert "PermissionError" in done.stderr and file.exists()


def test_a_rename_never_replaces(file, tmp_path):
    (tmp_path / "b").touch()
    with pytest.raises(FileExistsError):
        os.rename(tmp_path / "b", file)
    assert refused(os.rename, tmp_path / "b", file) == EXISTS and file.stat().st_size == 4096


def mapped_by_python(path):
    with path.open("rb") as opened:
        return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)


def mapped_by_safetensors(path):
    save_file({"a": torch.zeros(1000)}, path)
    with safe_open(path, "pt") as opened:
        return opened.get_tensor("a")


@pytest.mark.parametrize("mapped", [mapped_by_python, lambda path: np.memmap(path, mode="r"), mapped_by_safetensors])
def test_a_mapped_file_is_neither_replaced_nor_cut_nor_removed_until_nobody_has_it(file, tmp_path, mapped):
    holder = mapped(file)
    other = tmp_path / "other"
    other.touch()
    assert refused(os.replace, other, file) == DENIED and refused(file.unlink)
    assert refused(file.write_bytes, b"") and refused(os.truncate, file, 0) and refused(os.open, file, os.O_RDWR | os.O_TRUNC)
    assert file.stat().st_size >= 4000
    del holder
    assert refused(os.truncate, file, 0) is None and refused(file.unlink) is None


def test_folders_are_not_opened_and_nothing_is_named_by_their_descriptors(tmp_path):
    for opens in (lambda: os.open(tmp_path, os.O_RDONLY), lambda: open(tmp_path, encoding="utf-8")):  # noqa: SIM115
        with pytest.raises(PermissionError):
            opens()
    assert not any(hasattr(os, name) for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "mkfifo"))
    with pytest.raises(RuntimeError, match="unavailable on this platform"):
        os.open("a", os.O_RDONLY, dir_fd=3)
    with pytest.raises(OSError, match="privilege"):
        (tmp_path / "link").symlink_to(tmp_path)


@pytest.mark.parametrize("name", ["con", "NUL.wav", "lpt1.a.b", "a:b", "a?", 'a"', "a\n", "ends.", "ends "])
def test_names_are_refused_that_mean_something_else(tmp_path, name):
    assert refused((tmp_path / name).touch) == refused((tmp_path / name).mkdir) == BAD_NAME
    assert refused((tmp_path / "console").touch) is None and not (tmp_path / name).exists()


def test_names_that_differ_by_case_alone_are_one(tmp_path):
    (tmp_path / "Folder").mkdir()
    (tmp_path / "folder" / "A.txt").write_text("first", "utf-8")
    (tmp_path / "FOLDER" / "a.TXT").write_text("second", "utf-8")
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["A.txt"]
    assert (tmp_path / "folder" / "A.txt").read_text("utf-8") == "second"
    os.rename(tmp_path / "folder" / "a.txt", tmp_path / "folder" / "a.txt")
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["a.txt"], "which changes its case"


def test_a_path_of_260_characters_is_refused(tmp_path):
    room = 260 - len(str(tmp_path)) - 1
    assert refused((tmp_path / ("a" * room)).touch) == TOO_LONG
    assert refused((tmp_path / ("a" * (room - 1))).touch) is None


def test_temporary_files_work_and_go(tmp_path):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as file, tempfile.SpooledTemporaryFile(1) as spooled:
        for opened in (file, spooled):
            opened.write(b"some")
        assert os.path.isdir(folder)
    assert not os.path.exists(folder)
