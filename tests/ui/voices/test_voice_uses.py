"""Claims about what a voice that is deleted leaves in scripts and evaluations: takes and sounds stay or go, as the person says."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.evaluations.plan.order import EvaluationOrder
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText
from studio.scripts.script.script import ReadScript, ScriptHead
from studio.scripts.script.take import LineTake
from studio.service import Studio
from studio.speakers.speaker import Enrollment
from studio.ui.voices.voice_acts import act_on_voice, voice_uses
from tests.evaluations.made_plans import enrollment, plan_of, run_of


def said_by(studio: Studio, name: str) -> tuple[str, str]:
    """(script, line): a script in which a new voice of that name says one line."""
    clip = Clip(np.random.default_rng(len(name)).uniform(-0.3, 0.3, 48_000).astype(np.float32), 24_000)
    speaker = studio.enroll(Enrollment(name, "own", clip=clip))
    cast = (CastMember(name="ROSA", voice=name),)
    script = studio.scripts.create(ReadScript(ScriptHead(title="A play"), (LineText(who="ROSA", text="Good day."),), cast, "dialogue"))
    [line] = studio.scripts.line_ids(script.id)
    sha256, n_bytes = studio.scripts._folder.takes.keep(script.id, np.ones(2400, np.int16), 24_000)
    take = LineTake("t1", "k", sha256, 0.1, 24_000, n_bytes, 1.0, "fake", voice=name, generation_id=speaker.generation_id)
    studio.scripts._folder.store.add_take(script.id, line, take, choose=True)
    return script.id, line


@pytest.mark.parametrize("what", ["keep", "delete"])
def test_who_deletes_a_voice_is_told_of_its_scripts_and_its_takes_stay_or_go(open_studio, what):
    studio = open_studio(warm_uploads=False)
    script, line = said_by(studio, "Ana")
    assert voice_uses(studio, {"voice": "Ben"}) == {"scripts": [], "evaluations": []}
    assert voice_uses(studio, {"voice": "Ana"})["scripts"] == [{"id": script, "title": "A play", "n_lines": 1}]
    act_on_voice(studio, {"act": "delete", "voice": "Ana", "tests": "keep", "scripts": what})
    kept = studio.scripts.line(script, line)
    assert kept.written.text == "Good day."
    assert len(kept.takes) == (what == "keep")


@pytest.mark.parametrize("what", ["keep", "delete"])
def test_who_deletes_a_voice_is_told_of_its_evaluations_and_its_sounds_stay_or_go(open_studio, what):
    studio = open_studio(warm_uploads=False)
    studio.enroll(enrollment("Ana"))
    plan = plan_of("fake", n_texts=1)
    plan = plan.model_copy(update={"title": "Weekly", "voices": (plan.voices[0].model_copy(update={"name": "Ana"}),)})
    evaluation, _ = studio.evaluations.create(EvaluationOrder(plan))
    run_of(studio, evaluation.id).work()
    assert voice_uses(studio, {"voice": "Ana"})["evaluations"] == [{"id": evaluation.id, "title": "Weekly", "n_sounds": 1}]
    act_on_voice(studio, {"act": "delete", "voice": "Ana", "evaluations": what})
    [cell] = studio.evaluations.data(evaluation.id).cells
    assert (cell.said.sound is not None) == (what == "keep") and (cell.measures is not None) == (what == "keep")
