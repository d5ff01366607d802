"""Claims about a visit that comes again: to whom a browser may show a draft, and whether its clip is found."""

import base64

from gradio.context import LocalContext
from starlette.requests import Request

from studio.speakers.clip_draft import ClipDrafts
from studio.ui.clips.clip_intake import drop_clip, find_clip, take_clip
from studio.ui.gradio.current_visit import draft_owner
from tests.ui.clips.clips import wav_bytes


def owner(workspace: str = "", cookie: str = "") -> str:
    """Of the drafts of whoever asks so. workspace: as WorkspaceMiddleware noted it, "" where nobody is kept apart."""
    scope = {"type": "http", "headers": [(b"cookie", cookie.encode())], **({"studio.workspace": workspace} if workspace else {})}
    token = LocalContext.request.set(Request(scope))
    try:
        return draft_owner()
    finally:
        LocalContext.request.reset(token)


def test_a_draft_is_shown_to_nobody_who_signed_in_otherwise_or_works_elsewhere():
    visits = [("", ""), ("key:ana", ""), ("hub:1", ""), ("hub:2", ""), ("", "studio_session=one"), ("", "studio_session=two")]
    assert len({owner(*visit) for visit in visits}) == len(visits)
    assert owner("hub:1", "other=1") == owner("hub:1") != ""
    assert "hub" not in owner("hub:1") and draft_owner() == ""  # it tells nothing, and outside of an event there is nobody


def test_a_clip_is_found_again_after_a_reload_while_the_studio_has_it():
    drafts = ClipDrafts()
    clip = take_clip(drafts, {"name": "a.wav", "type": "audio/wav", "data": base64.b64encode(wav_bytes(4.0, 24_000)).decode()})
    assert find_clip(drafts, clip) | {"cut_seconds": None, "source": clip["source"]} == clip
    assert find_clip(drafts.within("visitor:two"), clip)["problem"]["code"] == "draft_gone"
    drop_clip(drafts, clip)
    assert find_clip(drafts, clip)["problem"]["code"] == "draft_gone"
