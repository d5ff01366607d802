"""How the page travels: packed, its scripts once, and no stream through anything that collects. Over a real server."""

import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.testclient import TestClient

from studio.service import Studio
from studio.settings import Settings
from studio.ui.gradio import web
from studio.ui.gradio.delivery import PageDelivery
from studio.words.sentences import Sentences
from tests.api.door import Gate
from tests.browser.studios.served_page import served_page
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import INFO, FakeEngine

MOST_PAGE_BYTES = 40_000  # packed; 324 kB went out at every view before
OF_REPORTS = "evaluation_report/sounds.js"  # which is written into reports of evaluations
GZIP = {"Accept-Encoding": "gzip, deflate, br"}
SPEECH = {"input": "A text of several chunks.", "voice": "tone", "model": "fake"}
STREAMS = {
    "events": {"stream": True, "response_format": "pcm"},
    "raw": {"stream_format": "audio", "response_format": "pcm"},
}


class Served:
    """A page over one engine that stops at its third chunk until it is let go."""

    def __init__(self, folder):
        self.gate = Gate()
        engine = FakeEngine(before_chunk=lambda index: self.gate() if index == 2 else None)
        self.studio = Studio(Settings(speakers_dir=folder, default_engine="fake"), infos={"fake": INFO}, open_engine=lambda name: engine)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("speakers"))
    with served_page(served.studio) as address, patient_http.Client(base_url=address, headers=GZIP, timeout=30) as served.client:
        yield served
    served.studio.close()


@pytest.fixture
def held(served):
    """The same, with a gate that is shut again."""
    served.gate = Gate()
    yield served
    served.gate.open()


def as_sent(client: httpx.Client, path: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """The answer, and its bytes as they went over the wire."""
    with client.stream("GET", path, headers=headers) as answer:
        return answer, b"".join(answer.iter_raw())


def script_of(client: httpx.Client) -> str:
    return re.search(r'<script [^>]*src="(studio/web/[^"]+)">', client.get("/").text)[1]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/?transport=gradio", "/config"])
def test_the_page_travels_packed_and_small(served, path):
    answer, sent = as_sent(served.client, path)
    assert answer.status_code == httpx.codes.OK
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) == len(sent) < MOST_PAGE_BYTES
    assert len(gzip.decompress(sent)) > 2 * len(sent)


def test_who_unpacks_nothing_gets_the_page_as_it_is(served):
    answer, sent = as_sent(served.client, "/", **{"Accept-Encoding": "identity"})
    assert "content-encoding" not in answer.headers
    assert b"Voice studio" in sent


def test_a_page_that_the_browser_has_is_not_sent_again(served):
    first, _ = as_sent(served.client, "/")
    assert "no-cache" in first.headers["cache-control"]  # asked for at each view
    again, sent = as_sent(served.client, "/", **{"If-None-Match": first.headers["etag"]})
    assert (again.status_code, sent) == (httpx.codes.NOT_MODIFIED, b"")
    other, sent = as_sent(served.client, "/", **{"If-None-Match": 'W/"another"'})
    assert other.status_code == httpx.codes.OK and sent


def test_a_document_goes_out_in_the_language_of_its_visitor(monkeypatch):
    page = '<html\n lang="en"><base href="./" /><a lang="en">@@speak.button@@</a>{"label": "@@speak.button@@"}' + " " * 1000
    buttons, frame = (("en", "Speak"), ("de", "Sprich")), {"title": "Title", "about": "About"}
    spoken = {name: Sentences(name, {"speak": {"button": button}, "frame": frame}) for name, button in buttons}
    monkeypatch.setattr("studio.ui.gradio.words.LANGUAGES", tuple(spoken))
    monkeypatch.setattr("studio.ui.gradio.delivery.sentences_in", spoken.__getitem__)
    files = web.WebFiles({"main.js": b"//"}, {"en": b"//", "de": b"// de"}, first="")
    client = TestClient(PageDelivery(HTMLResponse(page), files))
    english, german = client.get("/"), client.get("/?lang=de")
    assert english.text.startswith('<html\n lang="en"><base') and german.text.startswith('<html\n lang="de"><base')
    assert english.text.count("Speak") == german.text.count("Sprich") == 2 and '<a lang="en">' in german.text
    assert "@@" not in german.text and f'src="{files.address.replace("@@language@@", "de")}/scripts.js"' in german.text
    assert "Accept-Language" in german.headers["vary"]
    assert german.headers["etag"] != english.headers["etag"]
    for path, headers in (("/config", {"Referer": "http://testserver/?lang=de"}), ("/", {"Accept-Language": "de-AT, en;q=0.5"})):
        assert "Sprich" in client.get(path, headers=headers).text
    again = client.get("/", headers={"Accept-Language": "de", "If-None-Match": english.headers["etag"]})
    assert again.status_code == httpx.codes.OK  # it has the other language


@pytest.mark.slow
def test_scripts_are_kept_for_a_year_by_a_name_of_their_content(served):
    path = script_of(served.client)
    answer, sent = as_sent(served.client, f"/{path}")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-encoding"] == "gzip" and answer.headers["vary"] == "Accept-Encoding"
    assert b"class Composer {" in gzip.decompress(sent) and b"\\n// " not in gzip.decompress(sent)
    assert as_sent(served.client, f"/{path}", **{"Accept-Encoding": "identity"})[1] == gzip.decompress(sent)


@pytest.mark.slow
def test_all_modules_come_as_two_before_gradios_or_when_their_tab_is_opened_and_all_styles_in_their_order(served):
    page = served.client.get("/").text
    head, body = page.split("</head>")
    assert head.index("/first.js") < head.index("/scripts.js") < head.index("assets/index")
    assert head.index("studio/web/") < head.index("assets/index") and body.index("studio/web/") < body.index("<gradio-app")
    path = script_of(served.client)
    names = ("first.js", "scripts.js", "later.js", "evaluations.js", "styles.css", "later.css", "evaluations.css")
    first, others, later, evaluations, *sheets = (served.client.get(f"/{path.replace('first.js', name)}").text for name in names)
    scripts, styles = first + others + later + evaluations, "".join(sheets)
    assert "later." not in page and {name.partition("/")[0] for name in modules_of(later)} >= {"scripts", "script_side"}
    assert "all_said" in later and "all_said" not in first  # words that come with it
    assert "evaluations." not in page and set(map(room_of, modules_of(evaluations))) >= {"evaluations", "evaluation_plan"}
    assert "page_sure_delete" in evaluations and "page_sure_delete" not in first and "./later.js" not in evaluations
    sent = {path_of(file) for file in web.FOLDER.rglob("*.js")} - {OF_REPORTS}
    late_catalogs = [part.catalog for part in web.LATE_PARTS]
    listeners = modules_of(web.WebFiles.for_listeners().scripts_of("en")[web.ALL_SCRIPTS].decode())
    assert {*modules_of(scripts), *listeners} == sent | {web.CATALOG, *late_catalogs}
    assert len(modules_of(scripts)) == len({*modules_of(scripts)}) and len(first) < 0.7 * len(scripts)
    assert not [name for name in modules_of(scripts) if name.startswith("listener/")]  # and whoever listens gets little else
    assert {name for name in listeners if not name.startswith("listener/")} <= {
        "words/catalog.js", "words/phrasing.js", "words/words.js", "drawings/icons.js", "kit/frame.js", "sound/switched_sounds.js",
    }  # fmt: skip
    assert re.search(r"^import\b", first, re.MULTILINE) is None and re.findall(r'^import .*from "(.*)";$', others, re.MULTILINE) == [
        "./first.js"
    ]
    late_styles = [name for part in web.LATE_PARTS for name in part.styles]
    first_rules = [
        styles.index((web.FOLDER / web.SHEETS / f"{name}.css").read_text().split("{")[-1].strip()[:40]) for name in ("tokens", "gradio")
    ]
    assert first_rules == sorted(first_rules)
    assert {file.stem for file in web.FOLDER.rglob("*.css")} == {*web.STYLES, *late_styles, *web.LISTENER_STYLES}


@pytest.mark.slow
def test_another_content_has_another_address_and_one_of_no_content_is_not_there(served, tmp_path):
    shutil.copytree(web.FOLDER, tmp_path, dirs_exist_ok=True)
    assert english(web.WebFiles.read(tmp_path)) == script_of(served.client)
    (tmp_path / "history/history.js").write_text("// other\n", encoding="utf-8")
    files = web.WebFiles.read(tmp_path)
    other = english(files)
    assert english(replace(files, catalogs={"en": b"// other words"})) != other
    assert other != script_of(served.client)
    assert served.client.get(f"/{other}").status_code == httpx.codes.NOT_FOUND
    for gone in (("first.js", "nothing.js"), ("/en/", "/xx/")):
        assert served.client.get("/" + script_of(served.client).replace(*gone)).status_code == httpx.codes.NOT_FOUND


def test_each_language_has_a_catalogue_below_its_name_and_all_else_in_common():
    main = b'import { language } from "./words/catalog.js";'
    files = web.WebFiles({"main.js": main}, {name: f'export const language = "{name}";'.encode() for name in ("en", "de")}, first="")
    client = TestClient(Starlette(routes=[files.route()]))
    for language, other in (("en", "de"), ("de", "en")):
        scripts = client.get(f"/{files.address}/scripts.js".replace("@@language@@", language)).text
        assert f'"{language}"' in scripts and f'"{other}"' not in scripts and "// main.js" in scripts


def room_of(path: str) -> str:
    return path.partition("/")[0]


def path_of(file: Path) -> str:
    return file.relative_to(web.FOLDER).as_posix()


def modules_of(scripts: str) -> list[str]:
    return re.findall(r"^\{ // (.*)$", scripts, re.MULTILINE)


def english(files: web.WebFiles) -> str:
    """The address of its first scripts."""
    return f"{files.address}/first.js".replace("@@language@@", "en")


def test_the_build_of_gradio_is_kept_for_a_year_and_what_is_not_there_is_not(served):
    name = re.search(r'src="\./(assets/[\w-]+\.js)"', served.client.get("/").text)[1]
    answer, _ = as_sent(served.client, f"/{name}")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] in ("gzip", "br")
    missing = served.client.get("/assets/nothing.js")
    assert missing.status_code == httpx.codes.NOT_FOUND and "immutable" not in missing.headers.get("cache-control", "")


@pytest.mark.parametrize("kind", STREAMS)
def test_a_stream_of_speech_comes_chunk_by_chunk_and_unpacked(held, kind):
    with held.client.stream("POST", "/v1/audio/speech", json=SPEECH | STREAMS[kind]) as answer:
        assert "content-encoding" not in answer.headers
        pieces = answer.iter_raw()
        assert next(pieces)  # while the engine is held
        held.gate.wait_for_arrival()
        held.gate.open()
        assert b"".join(pieces)


@pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting' is deprecated")  # Gradio's queue, of pandas
def test_the_stream_of_gradios_queue_comes_block_by_block_and_unpacked(held):
    number = _event_of_the_relay(held.client.get("/config").json())
    asked = {"data": [], "event_data": {"run": "1", "request": SPEECH}, "fn_index": number, "session_hash": "ours"}
    assert held.client.post("/gradio_api/queue/join", json=asked).status_code == httpx.codes.OK
    with held.client.stream("GET", "/gradio_api/queue/data", params={"session_hash": "ours"}) as answer:
        assert "content-encoding" not in answer.headers
        lines = answer.iter_lines()
        assert "samples" in next(line for line in lines if "process_generating" in line)  # while the engine is held
        held.gate.wait_for_arrival()
        held.gate.open()
        assert any(json.loads(line[6:])["msg"] == "process_completed" for line in lines if line.startswith("data: "))


def test_the_sign_of_life_of_gradio_comes_at_once_and_unpacked(served):
    with served.client.stream("GET", "/gradio_api/heartbeat/ours") as answer:
        assert "content-encoding" not in answer.headers
        assert next(answer.iter_raw())


def test_kept_speech_is_handed_out_as_it_is(served):
    served.gate.open()
    spoken = served.client.post("/v1/audio/speech", json=SPEECH, headers={"X-Studio-Keep": "1"})
    assert spoken.status_code == httpx.codes.OK
    served.studio.history.settle()
    (entry,) = served.studio.history.entries()[:1]
    answer, sent = as_sent(served.client, f"/studio/history/{entry.id}")
    assert "content-encoding" not in answer.headers
    assert sent.startswith(b"RIFF") and answer.headers["cache-control"] == "no-store"


def _event_of_the_relay(config: dict) -> int:
    """The number by which Gradio's queue knows the page's `ask`."""
    relay = next(component["id"] for component in config["components"] if component["props"].get("elem_id") == "relay")
    return next(event["id"] for event in config["dependencies"] if [relay, "ask"] in event["targets"])
