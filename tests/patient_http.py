"""httpx's functions for tests, patient: httpx gives up after 5 s, and a machine that has much to do may stand still for longer."""

from functools import partial

import httpx

__all__ = ["PATIENCE_SECONDS", "Client", "delete", "get", "post", "put", "stream"]

PATIENCE_SECONDS = 60.0

Client = partial(httpx.Client, timeout=PATIENCE_SECONDS)
delete, get, post, put, stream = (
    partial(getattr(httpx, name), timeout=PATIENCE_SECONDS) for name in ("delete", "get", "post", "put", "stream")
)
