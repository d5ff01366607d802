"""Claims about whose the visit is: to whom a browser may show a draft again."""

from gradio.context import LocalContext
from starlette.requests import Request

from studio.ui.visit import draft_owner


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
