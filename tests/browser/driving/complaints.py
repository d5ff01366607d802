"""What a page may not do: errors, dialogs of the browser, requests to foreign hosts."""

from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import Page

__all__ = ["hear_errors", "hear_strangers"]


def hear_errors(page: Page, complain: Callable[[str], None]) -> None:
    """Those on the console, and those that nobody catches."""
    page.on("console", lambda message: complain(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complain(error.stack or str(error)))


def hear_strangers(page: Page, url: str, complain: Callable[[str], None]) -> None:
    """Dialogs of the browser, and requests to others than the host of `url`."""
    page.on("dialog", lambda dialog: (complain(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: complain(f"request to {request.url}") if _is_foreign(request.url, url) else None)


def _is_foreign(url: str, own: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(own).netloc
