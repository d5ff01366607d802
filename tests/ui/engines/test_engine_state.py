"""A voice that no engine could learn: why, in the same words in Create voice, in Voices and in the matrix."""

from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.errors import EngineUnavailable, TranscriptMismatch
from studio.running.offer.weights import WeightsStatus
from studio.speakers.speaker import Enrollment
from studio.ui.cache.cache_tab import matrix_value
from studio.ui.clips.extracting import clip_incompatibility, extract_voice
from studio.ui.engines.engine_state import fetch_trouble
from studio.ui.voices.voices import voices_value
from studio.words.sentences import LANGUAGES, sentences_in
from tests.stand_ins.fake_engine import INFO, FakeEngine

FACT, HINT = "These are not the words of the recording.", "Correct them, or leave them out."
OTHER = replace(INFO, id="other", title="Other", presets=(), default_preset=None)


@pytest.fixture
def open_studio(open_studio):
    """open_studio(refuses) -> Studio with the engine fake, which refuses Ana's words or not, and other, which cannot be opened; and Ana."""

    def make(*, refuses: bool):
        def before_extract() -> None:
            if refuses:
                fact = "The transcript does not fit the clip (alignment cost 0.73, at most 0.62)."
                raise TranscriptMismatch(fact, "Correct the transcript.")

        def open_engine(name: str) -> FakeEngine:
            if name == "other":
                raise EngineUnavailable("The weights are not here.", "make weights")
            return FakeEngine(INFO, before_extract=before_extract)

        studio = open_studio(infos={"fake": INFO, "other": OTHER}, open_engine=open_engine, warm_uploads=False)
        samples = np.random.default_rng(1).uniform(-0.3, 0.3, 48_000).astype(np.float32)
        studio.enroll(Enrollment("Ana", "own", clip=Clip(samples, 24_000)))
        return studio

    return make


def test_it_says_what_to_mend_and_voices_and_matrix_say_the_same(open_studio):
    studio = open_studio(refuses=True)
    assert clip_incompatibility(studio, {"voice": "Ana"}) == {"obstacle": None}  # nobody has tried
    assert extract_voice(studio, {"voice": "Ana", "engine": "fake"})["problem"]["fact"] == FACT
    extract_voice(studio, {"voice": "Ana", "engine": "other"})
    obstacle = clip_incompatibility(studio, {"voice": "Ana"})["obstacle"]
    assert obstacle == {"reason": f"Fake: {FACT} {HINT}", "parameter": "transcript"}
    row = voices_value(studio)["voices"][0]
    chips = [(chip["state"], chip["reason"]) for chip in row["engines"]]
    cells = [(cell["state"], cell["reason"]) for cell in matrix_value(studio)["rows"][0]["cells"]]
    assert row["obstacle"] == f"Fake: {FACT} {HINT}"
    assert chips[0] == cells[0] == ("failed", f"{FACT} {HINT}")
    assert chips[1][0] == "none" and "make weights" in chips[1][1] and len(cells) == 1  # the matrix has no column for it


def test_a_voice_that_one_engine_learned_has_no_obstacle(open_studio):
    studio = open_studio(refuses=False)
    for engine in ("fake", "other"):
        extract_voice(studio, {"voice": "Ana", "engine": engine})
    assert clip_incompatibility(studio, {"voice": "Ana"}) == {"obstacle": None} and voices_value(studio)["voices"][0]["obstacle"] == ""


def test_what_has_arrived_is_said_to_be_kept_only_where_anything_has():
    broken = WeightsStatus("failed", 0, 1000, code="unavailable", values={"sentence": "weights_not_fetched", "engine": "Heavy"})
    assert fetch_trouble(broken) == "Heavy could not be downloaded. Try again."
    assert fetch_trouble(replace(broken, done_bytes=1)) == "Heavy could not be downloaded. Try again. What has arrived is kept."
    assert fetch_trouble(replace(broken, state="cancelled")) == ""
    for language in LANGUAGES:
        hints = [
            said for key, said in sentences_in(language).sentences() if key.startswith("errors.weights_not_") and key.endswith(".hint")
        ]
        assert not any(sentences_in(language).words("engines.arrived_kept", {}) in hint for hint in hints)
