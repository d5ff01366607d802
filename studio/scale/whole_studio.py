"""A whole studio in each replica: the app of `python app.py`, behind the same guards. Replicas share nothing but a folder."""

import asyncio
import logging
from contextlib import ExitStack

from ray import serve
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from studio.running.heap import few_arenas, trimmed_heap
from studio.running.offer.offer import offered, offered_settings, sources
from studio.server import LOG_FORMAT, allow_descriptors, api_only, behind_guards, is_quiet, page_and_api, wait_for_default_engine
from studio.service import Studio
from studio.settings import Settings

__all__ = ["ReplicaStudio", "deployed"]

# HAProxy's own bound of connections: a studio refuses by itself, in its own words, what its engines have no room for
MOST_ONGOING = 4096


class EndsWithApp:
    """ASGI: `app`, and when its lifespan is over, `close` is called, so that what it has to write is written."""

    def __init__(self, app: ASGIApp, close):
        self._app, self._close = app, close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_on(message: Message) -> None:
            if message["type"].startswith("lifespan.shutdown."):
                await asyncio.to_thread(self._close)
            await send(message)

        await self._app(scope, receive, send_on if scope["type"] == "lifespan" else send)


class ReplicaUnwell(RuntimeError):
    """Ray ends a replica that says so three times, and starts another one."""


def deployed(replica: type, **options: object) -> serve.Deployment:
    """`Studio`, a deployment of such replicas. options: further ones of Ray's, the number of replicas among them."""
    return serve.deployment(
        serve.ingress()(replica),
        name="Studio",
        max_ongoing_requests=MOST_ONGOING,
        health_check_period_s=5,
        logging_config={"enable_access_log": False},
        **options,
    )


class ReplicaStudio:
    """headless: the API alone. listens_on: the name or address at which the cluster is asked for."""

    async def __init__(self, headless: bool, listens_on: str):
        self._headless, self._listens_on = headless, listens_on
        self._kept, self._was_ready = ExitStack(), False
        await asyncio.to_thread(self._open)

    def _open(self) -> None:
        """As `studio.server.serve` does, but for the listener, which is Ray's."""
        logging.basicConfig(level=logging.INFO, format=LOG_FORMAT)
        few_arenas()
        settings = offered_settings()
        allow_descriptors(settings)
        self._studio = self.make_studio(settings)
        self._kept.callback(self._studio.close)
        self._studio.begin_loading()
        wait_for_default_engine(self._studio)
        self._kept.enter_context(trimmed_heap(lambda: is_quiet(self._studio)))

    def make_studio(self, settings: Settings) -> Studio:
        """The catalog's; tests and measurements have others. Its engines are handed in: a release that one replica was told to open would
        be known to no other."""
        return Studio(settings, infos=offered(settings), weights=sources(settings, None))

    def __serve_build_asgi_app__(self) -> ASGIApp:
        app = api_only(self._studio) if self._headless else page_and_api(self._studio)
        # reached through HAProxy alone, which says who asks, and forgets what those said to it who are not believed (haproxy.py)
        guarded = behind_guards(app, self._studio.settings, listens_on=self._listens_on)
        proxied = ProxyHeadersMiddleware(guarded, trusted_hosts="*")  # pyright: ignore[reportArgumentType]  # uvicorn's types of ASGI are its own
        return EndsWithApp(proxied, self._kept.close)  # pyright: ignore[reportArgumentType]  # likewise

    def check_health(self) -> None:
        """A default engine that worked and failed is mended by another process; one without weights, or elsewhere, is not."""
        status = next(status for status in self._studio.engines() if status.info.id == self._studio.default.id)
        self._was_ready |= status.state == "ready"
        if self._was_ready and status.state == "failed" and status.info.runs == "here":
            raise ReplicaUnwell(f"{status.info.id}: {status.reason}")
