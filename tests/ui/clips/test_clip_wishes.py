"""What the page says of engines that make less of a clip or its words than of others: before a voice is made, and when it is edited."""

from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.clip_wishes import ClipWishes
from engines.errors import EngineUnavailable
from engines.kit.signal.clip_analysis import check_voice
from studio.service import Studio
from studio.speakers.clip_draft import ClipDraft, ClipDrafts
from studio.speakers.speaker import Enrollment
from studio.ui.clips.clip_report import REFUSED, check_region, engine_rows, judge_words
from studio.ui.voices.voice_acts import act_on_voice
from studio.words.sentences import LANGUAGES, sentences_in
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.ui.clips.clips import speech_like

PACED = replace(INFO, id="paced", title="Paced", clip_wishes=ClipWishes((0.8, 1.6), (3.0, 10.0), 20.0))
FITTING, SLOW, FAST, FEW = "word " * 24, "word " * 14, "word " * 48, "word"  # of 8 s of speech


@pytest.fixture
def studio(open_studio) -> Studio:
    """With an engine that takes its pace from the words beside one that does not."""
    engines = {"fake": FakeEngine(), "paced": FakeEngine(PACED)}
    return open_studio(folder="speakers", infos={"fake": INFO, "paced": PACED}, open_engine=engines.__getitem__, warm_uploads=False)


def judged(studio: Studio, text: str) -> tuple[str, bool]:
    answer = judge_words(studio, {"text": text, "seconds": 8.0})
    return answer["case"], answer["is_doubtful"]


def test_words_that_fit_the_clip_and_slow_an_engine_down_are_doubted_with_its_name(studio):
    assert [judged(studio, text) for text in (FITTING, SLOW, FAST)] == [
        ("words_good", False), ("words_slow", True), ("words_fast", True)
    ]  # fmt: skip
    assert judge_words(studio, {"text": SLOW, "seconds": 8.0})["values"]["engines"] == ["Paced"]


def test_words_that_can_hardly_be_the_clips_are_said_to_be_that_and_nothing_else(studio):
    assert judged(studio, FEW) == ("words_missing", True)
    assert "engines" not in judge_words(studio, {"text": FEW, "seconds": 8.0})["values"]


def test_an_engine_that_cannot_speak_here_says_nothing_of_words_and_lengths(open_studio):
    def lacking(name: str):
        raise EngineUnavailable("The weights are not here.", "Run: make weights.")

    studio = open_studio(folder="speakers", infos={"paced": PACED}, open_engine=lacking, warm_uploads=False)
    assert judged(studio, SLOW) == ("words_slow", True)
    with pytest.raises(EngineUnavailable):
        studio.load("paced")
    assert judged(studio, SLOW) == ("words_good", False)
    assert [row["is_here"] for row in engine_rows(studio, {"seconds": 25.0})["engines"]] == [False]


def test_a_long_clip_is_taken_and_the_row_says_what_works_better(studio):
    rows = {seconds: engine_rows(studio, {"seconds": seconds})["engines"] for seconds in (None, 20.0, 25.0, 31.0)}
    assert [row["fit"] for row in rows[None] + rows[20.0]] == ["as_it_is"] * 4
    assert [row["fit"] for row in rows[25.0]] == ["as_it_is", "better_shorter"]
    assert [row["fit"] for row in rows[31.0]] == ["takes_seconds", "takes_seconds"]
    assert rows[25.0][1]["values"] == {"low": 3.0, "high": 10.0} and rows[31.0][1]["values"] == {"low": 1.0, "high": 30.0}
    forbidden = engine_rows(studio, {"seconds": 25.0, "is_forbidden": True})["engines"]
    assert [row["fit"] for row in forbidden] == ["forbidden", "forbidden"]


@pytest.mark.slow
def test_an_edit_whose_words_slow_an_engine_down_is_saved_and_warned_of(studio):
    studio.enroll(Enrollment("Ana", "her own", clip=Clip(speech_like(8.0, 24_000).astype(np.float32), 24_000)))
    for text, case in ((FITTING, None), (SLOW, "words_slow")):
        answer = act_on_voice(studio, {"act": "edit", "voice": "Ana", "name": "Ana", "transcript": text})
        assert answer["name"] == "Ana" and (answer["doubt"] and answer["doubt"]["case"]) == case
    assert answer["doubt"]["engines"] == ["Paced"] and answer["doubt"]["n"] < answer["doubt"]["spoken"]


def test_every_language_has_a_sentence_for_it_with_the_engine_and_the_figures():
    values = {"n": 3.5, "spoken": 8.2, "engines": ["Paced", "Other"], "low": 3.0, "high": 10.0}
    for language in LANGUAGES:
        say = sentences_in(language).words
        for key in ("create.words_slow", "create.words_fast", "voices.doubt_words_slow", "voices.doubt_words_fast"):
            assert all(part in say(key, values) for part in ("Paced", "Other", "3", "8")), key
        assert all(part in say("create.fit_better_shorter", values) for part in ("3", "10 s"))


@pytest.mark.slow
def test_what_an_engine_refuses_in_the_sound_is_told_before_a_voice_is_made_and_stays_told(open_studio):
    picky = replace(INFO, id="picky", title="Picky", sound_check=check_voice)
    studio = open_studio(folder="speakers", infos={"fake": INFO, "picky": picky}, open_engine=lambda _: FakeEngine(), warm_uploads=False)
    drafts, fits = ClipDrafts(), {}
    voice = speech_like(3.0, 8_000)
    for case, samples in (("good", voice), ("clipped", (15 * voice).clip(-1, 1))):
        draft = drafts.keep(ClipDraft(Clip(samples, 8_000)))
        report = check_region(studio, drafts, {"draft": draft.id, "start": 0, "end": 3000, "has_transcript": True})
        asked = {"seconds": 3.0, "has_transcript": True, "refused": report["refused"]}
        assert [row["fit"] for row in engine_rows(studio, asked)["engines"]] == [row["fit"] for row in report["engines"]]
        fits[case] = [row["fit"] for row in report["engines"]]
        speaker = studio.enroll(Enrollment(case, "hers", clip=draft.clip))
        fits[case] += [status.state for status in studio.matrix.statuses([speaker])[0]]
    assert fits == {"good": ["as_it_is", "as_it_is", "none", "none"], "clipped": ["as_it_is", "clip_clipped", "none", "failed"]}
    for language in LANGUAGES:
        for code in REFUSED:
            assert sentences_in(language).words(f"create.fit_{code}", {})
