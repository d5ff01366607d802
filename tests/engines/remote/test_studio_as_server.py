"""Claims about this studio as the server of another: what it answers is understood, uploads, refusals and deletions included."""

import numpy as np
import pytest

from engines.contract.options import resolve_options
from engines.errors import CallerMistake
from tests.api.conftest import doors, open_door  # noqa: F401 - fixtures
from tests.api.door import served
from tests.engines.remote.opened import prompt_of, said

KEY = "a-key"


def test_another_studio_is_a_server_like_any_other(open_door, opened):  # noqa: F811
    door = open_door(api_keys=(KEY,))
    bearer = {"Authorization": f"Bearer {KEY}"}
    assert door.post("/v1/audio/speech", json={"input": "Wake up.", "voice": "tone"}, headers=bearer).status_code == 200  # well from now on
    with served(door) as address:
        engine = opened(address, key=KEY, languages="en,de")
        assert engine.info.presets == ("tone",)
        assert len(said(engine, engine.preset("tone"), language="de"))
        prompt = prompt_of(engine)
        heard = said(engine, prompt)
        [speaker] = door.studio.speakers()
        assert speaker.name.startswith("studio-") and not np.array_equal(heard, said(engine, engine.preset("tone")))
        door.studio.forget(speaker.name)
        assert np.array_equal(said(engine, prompt), heard), "it forgot the speaker, and is given it again"
        with pytest.raises(CallerMistake):
            said(engine, prompt, text=" ")
        stream = engine.stream("So long, and so on. " * 20, prompt, resolve_options(engine.info.options, {}))
        while not len(next(stream)):
            pass
        stream.close()
        engine.forget(prompt.content_digest)
        assert not door.studio.speakers()
        engine.close()
