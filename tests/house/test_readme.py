"""README and its relatives tell the truth: the map is current, every setting and route is documented, and the session runs as printed."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import soundfile

from studio import __version__
from studio.api.app import build_api
from studio.service import Studio
from studio.settings import Settings
from tests.house.readme_map import READMES, current_map, make_map
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.stand_ins.server_process import child_environment, start_server

ROOT = Path(__file__).parents[2]
MOST_README_LINES = 160


def test_the_maps_of_files_are_current():
    for package in READMES:
        assert current_map(package) == make_map(package), "run: .venv/bin/python -m tests.house.readme_map"


def test_the_readme_is_for_a_stranger():
    assert len((ROOT / "README.md").read_text().splitlines()) <= MOST_README_LINES


def test_every_setting_is_documented():
    readme = (ROOT / "README.md").read_text()
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert not field.title or f"`{field.title}`" in readme, field.title


@pytest.mark.slow
def test_every_route_is_documented(tmp_path):
    documented = (ROOT / "studio/README.md").read_text()
    studio = Studio(Settings(speakers_dir=tmp_path, default_engine="fake"), infos={"fake": INFO}, open_engine=lambda name: FakeEngine())
    try:
        routes = set(build_api(studio).openapi()["paths"])
    finally:
        studio.close()
    assert routes
    assert not [path for path in routes if f"`{path}`" not in documented]


def test_the_changelog_ends_at_the_version_of_the_project():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    newest = re.search(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest, "CHANGELOG.md has no version"
    assert newest[1] == version == __version__


@pytest.mark.slow
def test_the_notebook_runs_as_printed(tmp_path):
    """By a Python of its own, beside a recording called me.wav, and with nothing set but the default engine and where voices are kept."""
    block = re.search(r"```python\n(from studio import Studio\n.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    (tmp_path / "me.wav").symlink_to(ROOT / "assets/voices/demo.flac")
    kept = "ignore:Implicitly cleaning up:ResourceWarning"  # eSpeak's library, which stays for the process
    surroundings = child_environment() | {"SPEAKER_SAMPLES_DIR": str(tmp_path / "speakers"), "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-W", kept, "-c", block],
        cwd=tmp_path,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0 and not ran.stderr, ran.stdout + ran.stderr
    told = re.findall(r"^(\S+) s of sound; (\S+) s to the first$", ran.stdout, re.MULTILINE)
    assert sum(float(seconds) for seconds, _ in told) > 0.3 and all(0 < float(ttfp) < 60 for _, ttfp in told)
    samples, rate = soundfile.read(tmp_path / "out.wav")
    assert len(samples) > 0.3 * rate and abs(samples).max() > 0.05
    assert {path.name for path in tmp_path.iterdir()} == {"me.wav", "out.wav", "speakers"}


@pytest.mark.slow
def test_the_session_with_curl_runs_as_printed(tmp_path):
    """A stranger's paste: the block is run by bash in a copy of nothing but the demo voice, against a real server."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    block = re.search(r"```bash\n(studio=.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    assert len([line for line in block.splitlines() if line.strip()]) <= 10
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    with start_server(tmp_path / "speakers") as server:
        script = block.replace("http://127.0.0.1:7860", server.url)
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"x-speaker-cache: (miss|joined|hit)\r?\n", ran.stdout.lower())  # the upload has the voice learned ahead
    assert (tmp_path / "hello.wav").read_bytes()[:4] == b"RIFF"
    assert (tmp_path / "hello.wav").stat().st_size > 30_000
    assert (tmp_path / "hello.pcm").stat().st_size > 10_000
    assert "deleted successfully" in ran.stdout
