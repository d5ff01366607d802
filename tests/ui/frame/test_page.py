"""Claims about the page as it is served, without a browser."""

import asyncio
import importlib
import posixpath
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import gradio
import pytest
from fastapi.testclient import TestClient
from gradio import queueing

from studio.audio.spoken_sounds import SpokenSounds
from studio.service import Studio
from studio.settings import Settings
from studio.ui.frame.app import page_app
from studio.ui.frame.page import build_page
from studio.ui.gradio import web
from studio.ui.gradio.news import News
from tests.stand_ins.fake_engine import INFO, FakeEngine

SVG = "http://www.w3.org/2000/svg"  # the name of a language, which nobody fetches


OF_REPORTS = "evaluation_report/sounds.js"  # which is written into reports of evaluations


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> TestClient:
    settings = Settings(speakers_dir=tmp_path_factory.mktemp("speakers"), default_engine="fake")
    studio = Studio(settings, infos={"fake": INFO}, open_engine=lambda name: FakeEngine())

    async def build():  # outside of a running loop Gradio opens loops of its own and leaves them open
        return page_app(studio)

    with TestClient(asyncio.run(build())) as client:
        assert client.get("/").status_code == 200
        yield client
    studio.close()


@pytest.fixture(scope="module")
def config(served) -> dict:
    """What the served page tells its browser about itself."""
    return served.get("/config").json()


@pytest.mark.slow
def test_the_studios_icon_is_its_own(served):
    answer = served.get("/favicon.ico")
    assert answer.content == web.ICON_FILE.read_bytes()
    assert answer.headers["content-type"].startswith("image/svg+xml")


@pytest.mark.slow
def test_engines_stand_above_the_voices_of_which_there_may_be_hundreds(config):
    named = [component["props"].get("elem_id") for component in config["components"]]
    order = ["engine-cards", "engines-message", "cache-title", "cache-find", "cache-matrix", "cache-message"]
    assert [name for name in named if name in order] == order


def test_no_event_of_the_page_is_offered_as_a_public_endpoint(config):
    public = [event["api_name"] for event in config["dependencies"] if event["api_visibility"] != "private"]
    assert sorted(public) == ["compare", "convert", "create_voice", "delete_voice", "speak", "voices"]


def test_a_tick_of_the_page_is_no_event_of_the_studio_and_its_news_are_one(config):
    caused = {
        name: [event for event in config["dependencies"] if (name in dict(map(reversed, event["targets"])))] for name in ("tick", "bring")
    }
    assert [event["backend_fn"] for event in caused["tick"]] == [False]
    assert [event["api_name"] for event in caused["bring"]] == ["show_news"]


@pytest.mark.slow
def test_a_page_that_nobody_uses_looks_for_work_fifty_times_a_second(open_studio, monkeypatch):
    pauses, sleep = [], asyncio.sleep

    async def look_once():
        queue, ours = build_page(open_studio(), SpokenSounds(), News())._queue, asyncio.get_running_loop()

        async def pause(seconds: float) -> None:
            if asyncio.get_running_loop() is not ours:  # of another page, in another thread
                await sleep(seconds)
                return
            pauses.append(seconds)
            queue.stopped = True

        monkeypatch.setattr(queueing.asyncio, "sleep", pause)
        for look in (queue.start_processing, queue.start_progress_updates):
            queue.stopped = False
            await look()

    asyncio.run(look_once())
    assert len(pauses) == 2 and sum(1 / pause for pause in pauses) <= 51


@pytest.fixture
def imported_anew(monkeypatch):
    """imported_anew(part of Gradio) -> the module as the studio imports it, whoever has imported Gradio before."""

    def imported(part: str) -> ModuleType:
        monkeypatch.setattr(gradio, part, getattr(gradio, part))
        monkeypatch.delitem(sys.modules, f"gradio.{part}", raising=False)
        return importlib.import_module(f"gradio.{part}")

    return imported


def test_importing_gradio_reads_no_source_to_write_stubs(imported_anew):
    component_meta = imported_anew("component_meta")
    assert component_meta.create_or_modify_pyi(component_meta.ComponentMeta, "NotThere", []) is None


def test_importing_gradio_imports_no_mcp(imported_anew, monkeypatch):
    monkeypatch.delitem(sys.modules, "mcp", raising=False)
    assert not hasattr(imported_anew("mcp").GradioMCPServer, "Server") and "mcp" not in sys.modules


def test_a_space_opens_no_second_server_that_changes_its_code(imported_anew, monkeypatch):
    def started(**_):
        raise AssertionError

    monkeypatch.setitem(sys.modules, "spaces.reloading", SimpleNamespace(start_reload_server=started))
    imported_anew("http_server").watchfn_spaces(SimpleNamespace(prerun=None, postrun=None, stop_event=None))


def test_nothing_is_recorded_or_phoned_home(config):
    assert config["run_history"] is False
    assert config["analytics_enabled"] is False
    assert config["footer_links"] == []


def test_every_script_is_reached_from_those_that_pages_run_and_imports_what_there_is():
    scripts = {file.relative_to(web.FOLDER).as_posix(): file.read_text(encoding="utf-8") for file in web.FOLDER.rglob("*.js")}
    files = scripts | {web.CATALOG: ""} | {part.catalog: "" for part in web.LATE_PARTS}
    reached, waiting = set(), [web.MAIN, web.LISTENER_MAIN, *(part.main for part in web.LATE_PARTS)]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        imported = re.findall(r'^(?:import|export) [^;]*?"(\.\.?/[^"]+)";', files[name], re.M)
        others = [posixpath.normpath(posixpath.join(posixpath.dirname(name), source)) for source in imported]
        waiting += [other for other in others if other not in reached]
    assert reached == set(files) - {OF_REPORTS}


def test_the_pages_own_files_name_no_foreign_host_but_the_one_that_may_read_a_message():
    """A Space stands in a frame of the Hub's; who else has it in a frame must not be asked to sign events."""
    addressee = 'const HUB = "https://huggingface.co";'
    for file in filter(Path.is_file, web.FOLDER.rglob("*")):
        text = file.read_text(encoding="utf-8")
        assert "://" not in text.replace(addressee, "").replace(f'"{SVG}"', "").replace(f"'{SVG}'", ""), file.name
        assert len(re.findall(r"\bHUB\b", text)) == (2 if addressee in text else 0)
        assert addressee not in text or "HUB, [" in text.split("postMessage(")[1].splitlines()[0]


def test_every_part_that_a_script_takes_over_has_a_stable_id(config):
    ids = {component["props"].get("elem_id") for component in config["components"]}
    assert {"creating", "create-message"} <= ids
    assert {"composer", "speak-message", "result", "takes", "player"} <= ids
