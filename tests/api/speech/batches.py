"""Batches for tests: how one is asked, alone or on a thread of its own, and what is read off its results."""

import base64
import threading

import httpx

PATH = "/v1/audio/speech/batch"
LONG = "a text that is long enough to hear its pitch"


def ask(door, *items, **defaults) -> httpx.Response:
    """Items are texts or objects."""
    listed = [{"input": item} if isinstance(item, str) else item for item in items]
    return door.post(PATH, json={"items": listed} | defaults)


def results_of(door, *items, **defaults) -> list[dict]:
    response = ask(door, *items, **defaults)
    assert response.status_code == 200, response.text
    return response.json()["results"]


def audio_of(result: dict) -> bytes:
    assert result["status"] == "success", result
    return base64.b64decode(result["audio_data"], validate=True)


def in_flight(door) -> int:
    (status,) = door.studio.engines()
    return status.waiting + status.streaming


class Asking:
    """A batch that is under way on a thread of its own."""

    def __init__(self, door, n_items: int):
        self._thread = threading.Thread(target=self._ask, args=(door, n_items))
        self._thread.start()

    def _ask(self, door, n_items: int) -> None:
        self._results = results_of(door, *["hello"] * n_items)

    def results(self) -> list[dict]:
        self._thread.join(60)
        return self._results
