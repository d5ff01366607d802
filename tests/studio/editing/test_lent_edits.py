"""ZeroGPU: recordings are changed in a process that is lent for a call."""

import math
from dataclasses import replace

import pytest

from engines.contract.editing import EditOperation, RecordingEdit
from engines.errors import EditUnsupported
from studio.running.zero_gpu.zero_gpu_engine import ZeroGpuEngine
from studio.speech.editing.edit_request import EditRequest
from tests.stand_ins.fake_engine import EDITS, FakeEngine
from tests.stand_ins.zero_gpu_host import Call
from tests.studio.running.test_zero_gpu import START_SECONDS, WANTS_GPU, host, lent_by, lent_engine, studio_on  # noqa: F401
from tests.studio.speech.test_conversion import source


@pytest.mark.slow
def test_a_recording_is_changed_there_and_its_words_are_known_here(studio_on, host):  # noqa: F811
    engine = FakeEngine(replace(WANTS_GPU, edits=EDITS))
    studio = studio_on(engine)
    change = EditOperation("emotion", 4, 7, values={"type": "sad"})
    edited = studio.edit(EditRequest(spoken := source(2.0), "one two three", (change,), whole=True))
    assert (edited.text, len(edited.samples)) == ("one two three", round(13 * 0.05 * spoken.sample_rate))
    assert host.calls[-1] == Call("_speak", math.ceil(START_SECONDS + 2), "visitor") and engine.changes == []  # not in this process
    with pytest.raises(EditUnsupported):
        ZeroGpuEngine(lent_by(host, lent_engine())).edit(spoken, RecordingEdit("", ()), engine.preset("tone"), {})
