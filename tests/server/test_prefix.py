"""A proxy that keeps the prefix of STUDIO_ROOT_PATH, and one that takes it off: all that there is, is there behind either."""

import asyncio
import json
from collections.abc import Callable

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from studio.audio.spoken_sounds import SpokenSounds
from studio.server import API_PATHS, PAGE_FOLDER, PAGE_PATHS, behind_guards, page_and_api
from studio.service import Studio
from studio.settings import Settings
from studio.ui.frame import app as page
from studio.ui.gradio.news import News
from studio.ui.gradio.web import WebFiles
from studio.web.prefix import BelowPrefix
from tests.stand_ins.fake_engine import INFO, FakeEngine

PREFIX = "/studio"  # the hardest: the page has paths of its own that begin so
SOCKET = "/v1/audio/speech/stream"
PATHS = ("/", "/config", "/v1/models", "/health", "/docs", "/docs/static/swagger-ui.css", "/openapi.json", "/listen/abcdef", "/theme.css")


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    settings = Settings(speakers_dir=tmp_path_factory.mktemp("voices"), default_engine="fake", warm_uploads=False, root_path=PREFIX)
    studio = Studio(settings, infos={"fake": INFO}, open_engine=lambda _: FakeEngine())
    studio.load()
    yield studio
    studio.close()


@pytest.fixture(scope="module")
def client(studio):
    async def build():  # outside of a running loop Gradio opens loops of its own and leaves them open
        return behind_guards(page_and_api(studio), studio.settings)

    return TestClient(asyncio.run(build()), base_url="http://localhost", follow_redirects=False)


@pytest.fixture(params=[lambda path: PREFIX + path, lambda path: path], ids=["kept", "taken off"])
def passed_on(request) -> Callable[[str], str]:
    """The path that the studio is asked for, of one below the prefix."""
    return request.param


def test_all_there_is_is_there_whether_or_not_the_prefix_is_kept(client, passed_on):
    assert {path: client.get(passed_on(path)).status_code for path in PATHS} == dict.fromkeys(PATHS, 200)
    assert client.get(passed_on("/v1/nothing")).status_code == 404
    page = client.get(passed_on("/")).text
    script = next(part for part in page.split('"') if part.endswith("/scripts.js"))
    assert client.get(passed_on(f"/{script}")).status_code == 200
    gone = client.get(passed_on("/studio/history/x"))
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "entry_unknown")
    assert f'"{PREFIX}/openapi.json"' in client.get(passed_on("/docs")).text.replace("'", '"')
    answer = client.post(passed_on("/v1/audio/speech"), json={"input": "Hi"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")


def test_a_socket_opens_whether_or_not_the_prefix_is_kept(client, passed_on):
    with client.websocket_connect(f"ws://localhost{passed_on(SOCKET)}") as socket:
        socket.send_text("no JSON")
        assert json.loads(socket.receive_text())["type"] == "error"


def test_the_prefix_alone_leads_to_the_page(client):
    """Relative to the folder it stands in, whatever is before it at further proxies."""
    answer = client.get(f"{PREFIX}?lang=de")
    assert (answer.status_code, answer.headers["location"]) == (307, "studio/?lang=de")


def test_every_path_of_the_page_below_a_likely_prefix_is_known(studio):
    routes = page._routes(studio, WebFiles.read(), SpokenSounds(), News())
    below = [route.path for route in routes if isinstance(route, Route) and route.path.startswith(f"{PAGE_FOLDER}/")]
    assert below and all(path.startswith(PAGE_PATHS) for path in below)


@pytest.mark.parametrize("prefix", ["", "/", "/a", "a/", "/a/b", "/v1"])
def test_a_prefix_is_taken_off_where_it_is_one(prefix):
    seen: list[tuple[str, bytes]] = []

    async def app(scope, receive, send) -> None:
        seen.append((scope["path"], scope["raw_path"]))

    below = BelowPrefix(app, prefix, (*API_PATHS, *PAGE_PATHS))
    at = f"/{prefix.strip('/')}".rstrip("/")
    for path in (f"{at}/v1/models", "/v1/models", f"{at}/config", f"{at}x/config"):
        asyncio.run(below({"type": "http", "path": path, "raw_path": path.encode(), "query_string": b""}, None, None))
    own = "/v1" if prefix == "/v1" else ""
    wanted = ["/v1/models", "/v1/models", f"{own}/config", f"{at}x/config"]
    assert seen == [(path, path.encode()) for path in wanted]


def test_head_is_answered_by_page_and_api_as_get_is(client, passed_on):
    for path in ("/", "/config", "/listen/abcdef", "/health", "/v1/models", "/v1/nothing", "/studio/history/x"):
        got, head = client.get(passed_on(path)), client.head(passed_on(path))
        assert (head.status_code, head.content, head.headers.get("content-type")) == (got.status_code, b"", got.headers.get("content-type"))
