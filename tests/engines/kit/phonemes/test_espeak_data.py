"""eSpeak finds its data wherever this user's folders are, and whatever they are called."""

import os
import subprocess
import sys
from pathlib import Path

import espeakng_loader
import pytest

from engines.errors import EngineUnavailable
from engines.kit.phonemes.espeak_data import EspeakData

ROOT = Path(__file__).parents[4]
VARIANT = ("studio", "language variant\n")


@pytest.fixture
def packaged(tmp_path):
    """What the package brings, but for most of it."""
    data = tmp_path / "packaged"
    (data / "voices" / "!v").mkdir(parents=True)
    (data / "phontab").write_bytes(b"phones")
    return data


def test_windows_is_told_of_the_data_in_its_code_page(packaged, tmp_path):
    home = tmp_path / "Jürgen"
    home.mkdir()
    data = EspeakData(packaged, VARIANT, [home], "cp1252")
    (folder,) = home.iterdir()
    assert data.path == str(folder / "espeak-ng-data").encode("cp1252") and b"J\xfcrgen" in data.path
    assert (folder / "espeak-ng-data/phontab").read_bytes() == b"phones"
    assert (folder / "espeak-ng-data/voices/!v/studio").read_text(encoding="utf-8") == VARIANT[1]
    data.folder.cleanup()


def test_data_lies_elsewhere_where_the_code_page_has_no_such_letter(packaged, tmp_path):
    home, public = tmp_path / "王", tmp_path / "Public"
    home.mkdir()
    public.mkdir()
    data = EspeakData(packaged, VARIANT, [home, public], "cp1252")
    assert str(public).encode() in data.path and list(home.iterdir()) == []
    data.folder.cleanup()
    with pytest.raises(EngineUnavailable, match="code page"):
        EspeakData(packaged, VARIANT, [home, tmp_path / "not there"], "cp1252")


@pytest.mark.parametrize("name", ["Jürgen", "王 with blanks"])
def test_espeak_reads_aloud_from_a_home_of_any_name(tmp_path, name):
    home = tmp_path / name
    (home / "packages").mkdir(parents=True)
    (home / "packages/espeakng_loader").symlink_to(Path(espeakng_loader.__file__).parent)
    program = "import espeakng_loader, sys; from engines.kit.phonemes.espeak_library import ipa; print(ascii(ipa('hello', 'en-us')))"
    surroundings = {"HOME": str(home), "TMPDIR": str(home), "PYTHONPATH": os.pathsep.join([str(home / "packages"), str(ROOT)])}
    for locale in ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LC_ALL": "C.UTF-8"}):
        command = [sys.executable, "-c", f"{program}; assert espeakng_loader.get_data_path().startswith({str(home)!r})"]
        if "PYTHONUTF8" in locale:  # whose command line and prints know ASCII alone
            command = [sys.executable, "-c", program]
        ran = subprocess.run(command, env=surroundings | locale, capture_output=True, encoding="utf-8", check=False)
        assert ran.returncode == 0 and "h" in ran.stdout, ran.stderr
    assert [entry.name for entry in home.iterdir()] == ["packages"], "what is temporary is gone"
