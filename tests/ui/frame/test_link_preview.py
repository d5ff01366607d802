"""What chats and feeds show of a link to the studio, and by which name it goes elsewhere: in words, with whole addresses."""

import asyncio
import re

import pytest
from starlette.testclient import TestClient

from studio.service import Studio
from studio.settings import Settings
from studio.ui.frame.app import page_app
from tests.stand_ins.fake_engine import INFO, FakeEngine

TAG = re.compile(r'<meta (?:property|name)="((?:og|twitter):\w+)"\s+content="([^"]*)"\s*/?>')
PROXIED = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "voices.example", "Accept-Language": "de"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    settings = Settings(speakers_dir=tmp_path_factory.mktemp("v"), default_engine="fake", root_path="/below")
    studio = Studio(settings, infos={"fake": INFO}, open_engine=lambda _: FakeEngine())

    async def build():  # outside of a running loop Gradio opens loops of its own and leaves them open
        return page_app(studio)

    with TestClient(asyncio.run(build())) as client:
        yield client
    studio.close()


@pytest.mark.parametrize(("path", "title"), [("/", "Voice studio"), ("/listen/abc", "Hörtest")])
@pytest.mark.slow
def test_a_link_is_shown_with_words_and_a_picture_of_this_studio_alone(client, path, title):
    found = TAG.findall(client.get(path, headers=PROXIED).text)
    tags = dict(found)
    assert len(tags) == len(found) and not any("gradio" in text.casefold() or "@@" in text for text in tags.values())
    assert tags["og:title"] == title and tags.get("og:url") == ("https://voices.example/below/" if path == "/" else None)
    assert tags["og:description"] and tags["twitter:card"] == "summary_large_image"
    picture = client.get(tags["og:image"].removeprefix("https://voices.example/below"))
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert "cross-origin-resource-policy" not in picture.headers


def test_no_name_that_a_request_makes_up_becomes_markup(client):
    for path in ("/", "/listen/abc"):
        page = client.get(path, headers={"X-Forwarded-Host": 'x"><b>'}).text
        assert "og:" not in page and "<b>" not in page


def test_the_name_is_in_words_where_no_script_says_it(client):
    assert client.get("/manifest.json", headers={"Accept-Language": "de"}).json()["name"] == "Voice studio"
