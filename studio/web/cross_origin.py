"""is_cross_origin: whether a request was sent by another site's page, through the browser of somebody who may use the studio."""

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

__all__ = ["is_cross_origin"]


def is_cross_origin(headers: Mapping[str, str], welcome: Collection[str] = ()) -> bool:
    """headers: in lower case, or in any where the mapping does not care. welcome: origins that may all the same; "*" for any.

    A browser says whose page it is (Sec-Fetch-Site, and Origin, which a page cannot forge); other clients say nothing.
    """
    origin = headers.get("origin")
    if origin is None or "*" in welcome or origin in welcome:
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    hosts = (headers.get("host"), headers.get("x-forwarded-host"))  # the latter from a proxy; a foreign page cannot set it unasked
    return urlsplit(origin).netloc not in hosts
