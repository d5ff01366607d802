"""The same body by HTTP and through Gradio's queue: what both answer, and where they disagree."""

import base64
import json

import numpy as np

from studio.ui.speak.relay import Relays, relayed
from tests.api.door import Door, error_of, events_of

PATH = "/v1/audio/speech"
WHOLE = {"response_format": "pcm", "stream": False, "stream_format": None}
EVENTS = {"response_format": "pcm", "stream": True, "stream_format": None}
OF_THE_ANSWER = ("response_format", "stream", "stream_format")  # how it is sent, which each transport decides


def assert_the_transports_agree(door: Door) -> None:
    """Every body that this door was asked to speak gives the same samples by both, or the same sentence and the same hint."""
    for body in {json.dumps(body, sort_keys=True): body for body in door.bodies}.values():
        samples, refusal = _relayed(door, body)
        if refusal is not None:
            assert refusal == _refused(door, body, broke_off=len(samples) > 0), body
            continue
        if any(body.get(name) for name in OF_THE_ANSWER):
            assert (response := door.post(PATH, json=body)).status_code == 200, (body, response.text)
        whole = door.post(PATH, json=body | WHOLE)
        assert whole.status_code == 200, (body, whole.text)
        assert np.array_equal(samples, np.frombuffer(whole.content, "<i2")), body


def _refused(door: Door, body: dict, *, broke_off: bool) -> dict[str, str]:
    """What the API says: in its status, or in its last event where there was sound before."""
    response = door.post(PATH, json=body | EVENTS if broke_off else body)
    if response.status_code == 200 and not broke_off:  # a strictly compatible stream says that before it knows
        response = door.post(PATH, json=body | WHOLE)
    assert (response.status_code == 200) == broke_off, (body, response.status_code)
    error = events_of(response.text)[-1][1]["error"] if broke_off else error_of(response)
    return {"fact": error["message"], "hint": error.get("hint", ""), "code": error["reason_code"], "values": error.get("values", {})}


def _relayed(door: Door, body: dict) -> tuple[np.ndarray, dict[str, str] | None]:
    """(samples, refusal if any)."""
    messages = list(relayed(door.studio, Relays(), "page", {"run": "1", "request": body}))
    samples = b"".join(base64.b64decode(message["samples"]) for message in messages if "samples" in message)
    return np.frombuffer(samples, "<i2"), messages[-1].get("refusal")
