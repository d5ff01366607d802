"""Voices that other tools made: uploaded, listed, spoken, and refused where they do not fit; and built-in voices with their languages."""

from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from engines.contract.prompt import adopted_digest
from engines.contract.prompt_form import PromptForm
from engines.errors import EmbeddingUnusable
from studio.speakers.voiceprint import print_digest
from tests.api.door import data_url, error_of, pcm, wav
from tests.stand_ins.fake_engine import ADOPTER, INFO, FakeEngine, heard_pitch

FLOATS = np.full((5, 6), 2.0, np.float32)  # the fake engine hears a pitch of 300 Hz and their sum in it
CODES = np.array([[7, 1], [3, 0], [2, 2]], np.int64)
FILE = safetensors.numpy.save({"embeddings": FLOATS})
MULTILINGUAL = replace(INFO, id="many", title="Many", presets=("Ana", "Tone 2"), default_preset=None, preset_languages={"Ana": "pt"})


@pytest.fixture
def adopting(open_door):
    """A door over an engine that takes such voices, and one that does not."""
    return open_door(FakeEngine(ADOPTER), FakeEngine())


def adopt(door, data=FILE, name="Vox", **fields):
    form = {"name": name, "consent": "c1"} | fields
    return door.post("/v1/audio/voices", files={"speaker_prompt": ("vox.safetensors", data)}, data=form)


def heard(door, **fields) -> float:
    return heard_pitch(pcm(door.speak(response_format="pcm", **fields).content))


def test_an_adopted_voice_is_stored_listed_spoken_warmed_and_deleted(adopting):
    answer = adopt(adopting, ref_text="who knows").json()
    prompt = {"form": "embeddings", "frames": 5, "shape": [5, 6]}
    made = {"name": "Vox", "consent": "c1", "embedding_source": "direct", "speaker_prompt": prompt, "ref_text": "who knows"}
    assert answer["voice"] == made | {"created_at": answer["created_at"]} and "type" not in answer
    (listed,) = adopting.get("/v1/audio/voices").json()["uploaded_voices"]
    assert (listed["embedding_source"], listed["embedding_dim"], listed["speaker_prompt"]) == ("direct", None, prompt)
    assert heard(adopting, voice="VOX") == pytest.approx(360, abs=2)
    record = adopting.get("/v1/audio/voices/vox").json()
    assert (record["prompts"], record["seconds"], record["quality"]) == ({"adopter": "memory"}, None, None)
    speaker = adopting.studio.speaker("vox")
    assert speaker.tensor.source_digest == adopted_digest("embeddings", FLOATS)
    assert print_digest(speaker) == adopted_digest("embeddings", FLOATS).removeprefix("adopted:")[:20]
    assert adopting.delete("/v1/audio/voices/vox/cache").status_code == 200
    assert adopting.post("/v1/audio/voices/vox/cache").json()["outcome"] == "miss"
    assert error_of(adopting.get("/v1/audio/voices/vox/audio"))["message"].endswith("made of a speaker and has no recording")
    assert adopting.delete("/v1/audio/voices/vox").status_code == 200
    assert error_of(adopting.speak(voice="vox"))["reason_code"] == "speaker_unknown"


def test_codes_are_spoken_too_and_come_back_after_a_restart(adopting, open_door):
    assert adopt(adopting, safetensors.numpy.save({"codes": CODES})).status_code == 200
    adopting.close()
    again = open_door(FakeEngine(ADOPTER))
    assert again.get("/v1/audio/voices/vox").json()["speaker_prompt"] == {"form": "codes", "frames": 2, "shape": [3, 2]}
    assert heard(again, voice="vox") == pytest.approx(300 + CODES.sum(), abs=2)


def test_another_engine_refuses_an_adopted_voice_and_names_the_one_that_takes_it(adopting):
    adopt(adopting)
    adopting.before_opening = lambda name: pytest.fail(f"{name} need not be opened")
    warmed = error_of(adopting.post("/v1/audio/voices/vox/cache?model=fake"))
    adopting.before_opening = lambda name: None
    error = error_of(adopting.speak(voice="vox", model="fake"))
    assert (error["reason_code"], error["param"]) == ("embedding_unusable", "voice")
    assert error["message"] == "“Vox” was made with other tools, in a form that Fake does not take."
    assert error["hint"] == "Choose an engine that does: adopter."
    assert warmed == error
    (statuses,) = adopting.studio.matrix.statuses([adopting.studio.speaker("vox")])
    assert {status.engine: (status.state, status.values.get("engines")) for status in statuses} == {
        "adopter": ("none", None), "fake": ("unsupported", ("Adopter",))
    }  # fmt: skip


def test_a_file_that_no_engine_takes_is_refused_with_its_facts_and_changes_nothing(adopting, open_door):
    adopt(adopting)
    refused = adopt(adopting, safetensors.numpy.save({"x": FLOATS[:, :3]}))
    error = error_of(refused)
    assert (refused.status_code, error["param"], error["reason_code"]) == (400, "speaker_prompt", "embedding_unusable")
    assert "x (F32, 5 × 3)" in error["message"] and "Adopter: embeddings (frames, 6)" in error["message"] and error["hint"]
    assert "weights_only=True" in error_of(adopt(adopting, b"\x80\x04pickled"))["hint"]
    assert heard(adopting, voice="vox") == pytest.approx(360, abs=2)
    assert error_of(adopt(open_door(FakeEngine())))["message"] == "No engine here takes voices that other tools made."
    twice = [("speaker_prompt", ("a", FILE)), ("speaker_prompt", ("b", safetensors.numpy.save({"embeddings": FLOATS[1:]})))]
    refused = error_of(adopting.post("/v1/audio/voices", files=twice, data={"name": "vox", "consent": "c"}))
    assert (refused["reason_code"], refused["param"]) == ("source_ambiguous", "speaker_prompt")
    for other in ({"speaker_embedding": (None, "[1]")}, {"audio_sample": ("a.wav", wav(1.5))}):
        both = adopting.post("/v1/audio/voices", files={"speaker_prompt": ("a", FILE)} | other, data={"name": "a", "consent": "c"})
        assert error_of(both)["reason_code"] == "source_ambiguous"


def test_what_engines_take_and_speak_is_told_and_strict_compatibility_tells_nothing_new(open_door):
    door = open_door(FakeEngine(ADOPTER), FakeEngine(MULTILINGUAL))
    adopt(door)
    assert door.get("/v1/models/adopter").json()["prompt_forms"] == [
        {"name": "embeddings", "shape": [None, 6], "most_frames": 50, "holds": "floats", "codebook_sizes": None},
        {"name": "codes", "shape": [3, None], "most_frames": 50, "holds": "codes", "codebook_sizes": [8, 4, 4]},
    ]
    assert door.get("/v1/models/many").json()["voice_languages"] == {"Ana": "pt"}
    listed = door.get("/v1/audio/voices").json()
    assert listed["built_in_voices"] == [
        {"name": "tone", "model": "adopter", "language": None, "sex": None, "blends": False},
        {"name": "Ana", "model": "many", "language": "pt", "sex": None, "blends": False},
        {"name": "Tone 2", "model": "many", "language": None, "sex": None, "blends": False},
    ]
    door.close()
    strict = open_door(FakeEngine(ADOPTER), strict_compat=True).get("/v1/audio/voices").json()
    assert strict.keys() == {"voices", "uploaded_voices"} and "speaker_prompt" not in strict["uploaded_voices"][0]


def test_an_engine_without_cloning_names_those_that_learn_from_recordings(open_door):
    presets = replace(INFO, id="presets", title="Presets", clones_clips=False)
    door = open_door(FakeEngine(presets), FakeEngine(), FakeEngine(replace(INFO, id="other", title="Other")))
    door.upload()
    for request in ({"ref_audio": data_url(wav(2.0))}, {"voice": "alice"}):
        error = error_of(door.speak(**request))
        assert error["hint"] == "Choose one of them, or another engine. Engines that learn from recordings: fake, other."
        assert error["values"] == {"sentence": "clips_taken_by", "engine": "Presets", "engines": ["Fake", "Other"]}
    (statuses,) = door.studio.matrix.statuses([door.studio.speaker("alice")])
    assert statuses[0].values["engines"] == ("Fake", "Other")
    warmed = error_of(door.post("/v1/audio/voices/alice/cache"))
    assert (warmed["values"], warmed["hint"]) == (error["values"], error["hint"])


def test_where_no_engine_learns_from_recordings_none_is_held_out(open_door):
    door = open_door(FakeEngine(replace(INFO, id="presets", title="Presets", clones_clips=False)))
    door.upload()
    refused = [door.speak(ref_audio=data_url(wav(2.0))), door.speak(voice="alice"), door.post("/v1/audio/voices/alice/cache")]
    for error in map(error_of, refused):
        assert error["hint"] == "Choose one of them. No engine here learns from recordings."
        assert error["values"] == {"sentence": "clips_untaken_here", "engine": "Presets"}


def test_what_an_engine_finds_wrong_with_an_adopted_voice_is_not_called_an_embedding(open_door):
    class Strict(FakeEngine):
        def adopt(self, name, tensor):
            raise EmbeddingUnusable("The voice holds codes that their books do not have.", "Send others.", sentence="tensor_codes_beyond")

    door = open_door(Strict(replace(ADOPTER, embedding_size=None)))
    adopt(door)
    error = error_of(door.speak(voice="vox"))
    assert (error["message"], error["param"]) == ("The voice holds codes that their books do not have.", "voice")


def test_engines_that_take_other_shapes_or_other_names_are_other_engines(open_door):
    narrow = replace(ADOPTER, id="narrow", title="Narrow", prompt_forms=(PromptForm("embeddings", (None, 4), most_frames=50),))
    renamed = replace(ADOPTER, id="renamed", title="Renamed", prompt_forms=(PromptForm("latents", (None, 6), most_frames=50),))
    door = open_door(FakeEngine(ADOPTER), FakeEngine(narrow), FakeEngine(renamed))
    adopt(door)
    adopt(door, safetensors.numpy.save({"embeddings": FLOATS[:, :4]}), "four")
    takers = {(voice, model): door.speak(voice=voice, model=model) for voice in ("vox", "four") for model in door.engines}
    spoken = [asked for asked, answer in takers.items() if answer.status_code == 200]
    assert spoken == [("vox", "adopter"), ("four", "narrow")]
    assert {error_of(takers[asked])["values"]["engines"][0] for asked in takers if asked[0] == "vox" and asked not in spoken} == {"Adopter"}
