"""httpx's functions for tests, patient: httpx gives up after 5 s, and a machine that has much to do may stand still for longer.

And quick: nothing here speaks TLS, so that no authority need be known. To read the machine's own takes 25 ms of a processor for every
client, and each of these functions makes one.
"""

import ssl
from functools import partial

import httpx

__all__ = ["PATIENCE_SECONDS", "Client", "delete", "get", "post", "put", "stream"]

PATIENCE_SECONDS = 60.0

_given = {"timeout": PATIENCE_SECONDS, "verify": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)}

Client = partial(httpx.Client, **_given)
delete, get, post, put, stream = (partial(getattr(httpx, name), **_given) for name in ("delete", "get", "post", "put", "stream"))
