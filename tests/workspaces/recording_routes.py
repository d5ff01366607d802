"""What a visitor can have done with a recording of his own, by route: said again in a voice, or changed."""

import json
from collections.abc import Callable

from tests.api.door import data_url, wav
from tests.workspaces.visitor import ENGINE, Visitor
from tests.workspaces.world import Belongings

__all__ = ["RECORDING_ROUTES"]

OTHER_WORD = json.dumps([{"kind": "replace", "start": 0, "end": 3, "text": "two"}])


def edit(b: Visitor, voice: str) -> None:
    """All of it by the engine: in a tone no word is found."""
    fields = {"words": "one", "operations": OTHER_WORD, "whole": "true", "voice": voice, "model": ENGINE}
    b.ask("POST", "/v1/studio/edit", files={"file": ("a.wav", wav(2.0, hz=444.0), "audio/wav")}, data=fields)


RECORDING_ROUTES: dict[str, Callable[[Visitor, Belongings], object]] = {
    "POST /v1/audio/speech/convert": lambda b, has: [
        b.convert(has.voice),
        b.convert(has.voice, stream_format="audio"),
        b.convert("", ref_audio=data_url(wav(2.0, hz=555.0))),
        b.convert(has.voice[:-1]),
        b.convert(has.voice, headers={"x-studio-keep": "1"}),
    ],
    "POST /v1/studio/edit": lambda b, has: [edit(b, voice) for voice in (has.voice, "", has.voice[:-1])],
}
