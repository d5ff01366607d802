"""Owners: who runs the studio, among those who reach it. What its visitors share is that person's alone to change.

An owner is known by a key without a name or named owner; on a Space without keys by the sign-in of its author, or of whom STUDIO_OWNERS
names; elsewhere by asking on the machine itself. Where nobody is a visitor, everybody is an owner.
"""

import ipaddress

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.errors import OwnerOnly
from studio.settings import Settings
from studio.web.access import OWNER_PLACE, Access, Visitors, WorkspaceMiddleware
from studio.workspace import OWNER_KEYS

__all__ = ["OwnerMiddleware", "Owners", "is_from_this_machine", "owner_refusal", "visitor_guards"]

FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip", "via")  # any of which says that a proxy stands between


class Owners:
    """Of a studio with those settings."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._access = Access(settings.api_keys)
        self._names = {name.casefold() for name in settings.owners}

    def include(self, scope: Scope) -> bool:
        """Whether whoever sends a request runs the studio."""
        if not self._settings.has_visitors:
            return True
        if not self._access.open_to_all:
            headers = Headers(scope=scope)
            return self._access.who(headers.get("authorization", ""), headers.get("cookie", "")) in OWNER_KEYS
        if self._settings.space_id is None:
            return is_from_this_machine(scope)
        login = self._settings.has_login and (scope.get("session") or {}).get(
            "oauth_info"
        )  # of Gradio's session, which it has signed itself
        return bool(login) and login["userinfo"]["preferred_username"].casefold() in self._names


class OwnerMiddleware:
    """Notes in the scope of every request whether its owner sends it, for `is_owner`. It stands behind whatever signs in."""

    def __init__(self, app: ASGIApp, owners: Owners):
        self._app = app
        self._owners = owners

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            scope[OWNER_PLACE] = self._owners.include(scope)
        await self._app(scope, receive, send)


def visitor_guards(settings: Settings) -> list[Middleware]:
    """What tells visitors from the owner, and from each other where they are kept apart; the outermost first. Raises OSError."""
    owners = [Middleware(OwnerMiddleware, owners=Owners(settings))] if settings.has_visitors else []
    apart = [Middleware(WorkspaceMiddleware, visitors=Visitors.of(settings))] if settings.workspaces == "private" else []
    return [*owners, *apart]


def is_from_this_machine(scope: Scope) -> bool:
    """Whether nothing stands between, and the request was sent on this machine."""
    headers, client = Headers(scope=scope), scope.get("client")
    if client is None or any(name in headers for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False


def owner_refusal(settings: Settings) -> OwnerOnly:
    """What a visitor is told who would change what all share: who may."""
    if settings.api_keys:
        return OwnerOnly("key")
    if settings.space_id is None:
        return OwnerOnly("machine")
    return OwnerOnly("hub", settings.owners) if settings.has_login else OwnerOnly("nothing")
