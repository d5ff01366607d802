"""The one rule by which an OSError is told; and a studio that starts, or says why it does not, on a disk that takes nothing."""

import errno

import pytest

import app
from engines.errors import EngineFailed
from studio.errors import DiskFailed, DiskFull, DiskReadOnly, disk_error
from studio.settings import Settings
from studio.speech.refusal import refusal_of, tellable
from studio.web.access import Visitors
from tests.stand_ins.full_disk import refusing_disk


@pytest.mark.parametrize(
    ("number", "kind", "status"),
    [
        (errno.ENOSPC, DiskFull, 507),
        (errno.EDQUOT, DiskFull, 507),
        (errno.EROFS, DiskReadOnly, 507),
        (errno.EACCES, DiskReadOnly, 507),
        (errno.EIO, DiskFailed, 500),
        (errno.EFBIG, DiskFailed, 500),
        (errno.ENOENT, DiskFailed, 500),
    ],
)
def test_what_a_disk_refuses_is_told_by_its_number(number, kind, status):
    known = tellable(OSError(number, "as the system says it", "/a/secret/path"))
    assert type(known) is kind and refusal_of(known).status == status
    assert "secret" not in known.fact + known.hint


@pytest.mark.parametrize(
    "error", [ConnectionResetError(errno.ECONNRESET, "cut"), TimeoutError(), OSError(errno.EMFILE, "many"), ValueError("other"), None]
)
def test_what_is_no_matter_of_a_disk_stays_a_defect(error):
    assert disk_error(error) is None


def test_what_is_an_error_of_ours_is_told_as_it_is():
    error = EngineFailed("It broke.")
    assert tellable(error) is error and tellable(ZeroDivisionError()) is None


def test_a_studio_starts_on_a_full_disk_and_speaks(open_studio):
    open_studio(folder="speakers").close()
    with refusing_disk():
        studio = open_studio(folder="speakers")
        assert studio.speakers() == () and studio.engine_info()


def test_a_studio_that_cannot_keep_its_visitors_apart_says_why(tmp_path):
    with refusing_disk(), pytest.raises(OSError, match="No space left"):
        Visitors.of(Settings(speakers_dir=tmp_path, workspaces="private"))
    assert list(tmp_path.iterdir()) == [], "no half a secret"
    Visitors.of(Settings(speakers_dir=tmp_path, workspaces="private"))


def test_the_command_line_says_it_in_one_line(monkeypatch, capsys):
    def refuse(*asked: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", "out.wav")

    monkeypatch.setattr(app, "_serve", refuse)
    assert app.main([]) == 2
    told = capsys.readouterr().err
    assert "out.wav" in told and "disk is full" in told and told.count("\n") == 1
