"""Claims about scripts as a part of the studio: they follow its voices, go with their workspace's time, and close with it."""

import numpy as np

from engines.clips.clip import Clip
from studio.scripts.script.cast import CastMember
from studio.speakers.edit import SpeakerEdit
from studio.speakers.speaker import Enrollment
from studio.workspace import of_a_cookie
from tests.spoken_scripts.keep.made_scripts import add_take, read_of


def recording(name: str, seed: int) -> Enrollment:
    samples = np.random.default_rng(seed).standard_normal(48_000).astype(np.float32) * 0.1
    return Enrollment(name, "her own, 2026", clip=Clip(samples, 24_000))


def test_what_a_script_says_stays_when_its_voice_is_replaced_or_deleted_and_goes_where_that_is_asked(open_studio):
    studio = open_studio()
    first = studio.enroll(recording("Ana", 1))
    script = studio.scripts.create(read_of("one", cast=(CastMember(voice="Ana"),))).id
    [line] = studio.scripts.line_ids(script)
    add_take(studio.scripts, script, line, 1, voice="Ana", generation_id=first.generation_id)
    studio.library.edit("Ana", SpeakerEdit("Rosa", "", ()))
    assert studio.scripts.script(script).cast[0].voice == "Rosa"
    second = studio.enroll(recording("Rosa", 2))
    assert second.generation_id != first.generation_id
    add_take(studio.scripts, script, line, 2, voice="Rosa", generation_id=second.generation_id)
    studio.forget("Rosa")
    assert [take.id for take in studio.scripts.line(script, line).takes] == ["t1", "t2"]
    [used] = studio.scripts.speaker_gone("Rosa", delete_takes=True, generation_id=second.generation_id)
    assert used.id == script and studio.scripts.line(script, line).takes == ()


def test_a_visitors_scripts_go_when_their_time_is_over(open_studio, monkeypatch):
    studio = open_studio(workspaces="private", workspace_hours=1.0)
    visitor = studio.within(of_a_cookie("ann"))
    script = visitor.scripts.create(read_of("one"))
    kept = studio.scripts.create(read_of("one"))
    monkeypatch.setattr(studio._parts.expiry, "_clock", lambda: script.created + 3601)
    studio._parts.expiry.sweep()
    assert visitor.scripts.scripts() == () and studio.scripts.scripts() == (kept,)


def test_a_studio_that_is_closed_leaves_one_file_that_the_next_opens(open_studio, tmp_path):
    studio = open_studio()
    script = studio.scripts.create(read_of("one"))
    studio.close()
    assert [path.name for path in (tmp_path / "scripts").iterdir()] == ["scripts.sqlite"]
    assert open_studio().scripts.scripts() == (script,)
