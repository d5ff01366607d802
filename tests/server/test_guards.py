"""Every guard of page and API, at the root and below a prefix: mounted, by root_path, and behind a proxy that takes the prefix off."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient, WebSocketDenialResponse

from studio.api.door.middleware import MOST_UPLOAD_BODY_BYTES
from studio.server import ApiFirst, behind_guards, page_and_api
from studio.service import Studio
from studio.settings import Settings, read_settings
from studio.ui.frame.page_middleware import MOST_OTHER_BYTES
from studio.web.access import VISITOR_COOKIE
from tests.stand_ins.fake_engine import INFO, FakeEngine

KEY, PREFIX = "first", "/s"
HTML, JSON = {"Accept": "text/html"}, {"Content-Type": "application/json"}
FOREIGN = {"Origin": "https://evil.example"}
KNOWN = {"Authorization": f"Bearer {KEY}"}
SOCKET = "/v1/audio/speech/stream"


def at_the_root(app: ApiFirst) -> tuple[TestClient, str]:
    return TestClient(app), ""


def mounted(app: ApiFirst) -> tuple[TestClient, str]:
    return TestClient(Starlette(routes=[Mount(PREFIX, app)])), PREFIX


def below_a_root_path(app: ApiFirst) -> tuple[TestClient, str]:
    """As a server hands it over that is told of the prefix: with it in front of the path."""
    return TestClient(app, root_path=PREFIX), PREFIX


def behind_a_proxy(app: ApiFirst) -> tuple[TestClient, str]:
    """That takes the prefix off; the server is told of it."""
    return TestClient(app, root_path=PREFIX), ""


PLACES: tuple[Callable[[ApiFirst], tuple[TestClient, str]], ...] = (at_the_root, mounted, below_a_root_path, behind_a_proxy)


@dataclass(frozen=True)
class Guarded:
    """A request that a guard answers. studio: the one with a key, or the open one that keeps its visitors apart."""

    name: str
    status: int
    path: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes = b""
    studio: str = "locked"


GUARDED = (
    Guarded("key of the API", 401, "/v1/audio/voices"),
    Guarded("key of the API, what is not there", 401, "/v1"),
    Guarded("key admitted", 200, "/v1/audio/voices", headers=KNOWN),
    Guarded("open path", 200, "/health"),
    Guarded("mount", 200, "/docs/static/swagger-ui.css"),
    Guarded("origin of the API", 403, "/v1/audio/speech", "POST", KNOWN | FOREIGN),
    Guarded("upload limit", 413, "/v1/audio/voices", "POST", KNOWN, b"x" * (MOST_UPLOAD_BODY_BYTES + 1)),
    Guarded("key of tools", 401, "/mcp", "POST", JSON),
    Guarded("key of tools where Gradio has them", 401, "/gradio_api/mcp/", "POST", JSON),
    Guarded("origin of tools", 403, "/mcp", "POST", KNOWN | FOREIGN | JSON),
    Guarded("tools behind their key", 400, "/mcp", "POST", KNOWN | JSON),
    Guarded("link to a sound, which is its key", 404, "/mcp/sounds/1.mp3"),
    Guarded("metrics of visitors", 403, "/metrics", studio="apart"),
    Guarded("sign-in form", 401, "/", headers=HTML),
    Guarded("sign-in of the page's data", 401, "/config"),
    Guarded("sign-in of what the page does", 401, "/gradio_api/queue/join", "POST"),
    Guarded("sign-in admits", 303, "/sign-in", "POST", {"Content-Type": "application/x-www-form-urlencoded"}, f"key={KEY}".encode()),
    Guarded("page behind its key", 200, "/", headers=HTML | KNOWN),
    Guarded("what the page does not use", 404, "/gradio_api/upload", "POST", KNOWN),
    Guarded("origin of the page", 403, "/gradio_api/run/predict", "POST", KNOWN | FOREIGN | JSON),
    Guarded("type of the page's bodies", 415, "/gradio_api/run/predict", "POST", KNOWN),
    Guarded("body of the page", 413, "/gradio_api/cancel", "POST", KNOWN | JSON, b"x" * (MOST_OTHER_BYTES + 1)),
)


@pytest.fixture(scope="module")
def apps(tmp_path_factory):
    studios: list[Studio] = []

    def of(name: str, **settings) -> ApiFirst:
        settings = Settings(speakers_dir=tmp_path_factory.mktemp(name), default_engine="fake", warm_uploads=False, **settings)
        studios.append(Studio(settings, infos={"fake": INFO}, open_engine=lambda _: FakeEngine()))
        studios[-1].load()

        async def build():  # outside of a running loop Gradio opens loops of its own and leaves them open
            return page_and_api(studios[-1])

        return asyncio.run(build())

    yield {"locked": of("locked", api_keys=(KEY,), mcp=True), "apart": of("apart", workspaces="private")}
    for studio in studios:
        studio.close()


@pytest.mark.parametrize("place", PLACES)
def test_every_guard_answers_below_any_prefix(apps, place):
    clients = {name: place(app) for name, app in apps.items()}
    found = {}
    for asked in GUARDED:
        client, prefix = clients[asked.studio]
        client.cookies.clear()
        answer = client.request(asked.method, prefix + asked.path, headers=asked.headers, content=asked.content, follow_redirects=False)
        found[asked.name] = (answer.status_code, asked.status)
    assert {name: status for name, (status, wanted) in found.items() if status != wanted} == {}


@pytest.mark.parametrize("place", PLACES)
def test_no_socket_opens_without_a_key_below_any_prefix(apps, place):
    client, prefix = place(apps["locked"])
    with pytest.raises(WebSocketDenialResponse) as refused, client.websocket_connect(prefix + SOCKET):
        pass
    assert refused.value.status_code == 401


@pytest.mark.parametrize("place", PLACES)
def test_the_api_alone_asks_for_its_key_below_any_prefix(apps, place):
    client, prefix = place(apps["locked"]._api)
    assert client.get(f"{prefix}/v1/audio/voices").status_code == 401
    assert client.get(f"{prefix}/v1/audio/voices", headers=KNOWN).status_code == 200


@pytest.mark.parametrize("place", PLACES)
def test_a_newcomer_to_the_page_is_known_and_its_documents_are_packed_below_any_prefix(apps, place):
    client, prefix = place(apps["apart"])
    answer = client.get(f"{prefix}/", headers=HTML)
    assert answer.headers["set-cookie"].startswith(VISITOR_COOKIE)
    assert answer.headers["content-encoding"] == "gzip" and "studio/web/" in answer.text


@pytest.mark.parametrize("path", ["/", "/v1/audio/voices", "/health", "/docs", "/config", "/gradio_api/queue/join", "/studio/history/x"])
def test_a_studio_without_keys_answers_to_its_own_names_alone(apps, path):
    client = TestClient(behind_guards(apps["apart"], Settings()))
    refused = client.get(path, headers={"Host": "evil.example", "Sec-Fetch-Site": "same-origin", "X-Forwarded-Host": "localhost"})
    assert (refused.status_code, refused.json()["error"]["reason_code"]) == (421, "host_unknown")
    assert client.get(path, headers={"Host": "127.0.0.1:7860"}).status_code != 421
    with pytest.raises(WebSocketDenialResponse) as denied, client.websocket_connect(SOCKET, headers={"Host": "evil.example"}):
        pass
    assert denied.value.status_code == 421


def test_a_studio_with_keys_answers_to_any_name_since_no_page_has_its_key(apps):
    settings = Settings(api_keys=(KEY,), mcp=True)
    assert (
        TestClient(behind_guards(apps["locked"], settings)).get("/v1/audio/voices", headers=KNOWN | {"Host": "any.example"}).status_code
        == 200
    )


@pytest.mark.parametrize(
    ("environment", "origins"),
    [
        ({}, "'self'"),
        ({"SPACE_ID": "a/b"}, "'self' https://huggingface.co"),
        ({"STUDIO_FRAME_ORIGINS": "https://a.example,https://b.example"}, "'self' https://a.example https://b.example"),
    ],
)
def test_answers_say_who_may_frame_them(apps, environment, origins):
    client = TestClient(behind_guards(apps["apart"], read_settings(environment)), base_url="http://localhost")
    for path in ("/", "/v1/audio/voices", "/health", "/nothing", "/gradio_api/upload"):
        answer = client.get(path, headers=HTML)
        assert answer.headers.get_list("content-security-policy")[-1] == f"frame-ancestors {origins}", path
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_pages_policy_has_another_nonce_each_time_and_goes_with_the_document_that_is_kept(apps):
    client = TestClient(behind_guards(apps["apart"], Settings()), base_url="http://localhost")
    first, second = (client.get("/", headers=HTML | {"Cookie": ""}) for _ in range(2))
    nonces = []
    for answer in (first, second):
        found = re.search(r"script-src 'self' blob: 'unsafe-eval' 'nonce-(\w{32})'", answer.headers["content-security-policy"])
        assert answer.text.count(f"<script nonce={found[1]}") == answer.text.count("<script") > 3
        nonces.append(found[1])
    assert nonces[0] != nonces[1] and first.headers["etag"] == second.headers["etag"]
    again = client.get("/", headers=HTML | {"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304 and "content-security-policy" not in again.headers
