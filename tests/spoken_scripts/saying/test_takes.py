"""Claims about several takes of a line: how they differ, which is heard, and what the ears choose."""

from dataclasses import replace

import numpy as np
import pytest

from studio.analysis.transcriber import Transcriber
from studio.errors import TakeUnknown, TranscriberMissing, WordTimesUnknown
from studio.reading.lexicon.entry import LexiconEntry
from studio.scripts.saying.best_take import LIKENESS_NOISE, QUALITY_NOISE, best_take
from studio.scripts.saying.candidate import PACES, Candidate, candidate_of
from studio.scripts.saying.saying import Saying
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import SetDictionary, WrittenEntry
from studio.scripts.script.take import LineTake, TakeEstimates
from studio.words.sentences import sentences_in
from tests.spoken_scripts.saying.said_scripts import made, put, said, say_all, sound_of, store_voice, wait_for
from tests.stand_ins.estimators_stand_in import install_ears
from tests.stand_ins.fake_engine import INFO, MARKER, FakeEngine

UNDRAWN = replace(INFO, draws=False)


def take(name: str, errors: int | None = 0, likeness: float | None = 0.8, quality: float | None = 3.5) -> LineTake:
    return LineTake(name, "", "", 1.0, 24_000, 0, 0.0, "fake", estimates=TakeEstimates(errors, 6, likeness, quality, "heard"))


# --- how they differ


def test_takes_differ_by_seed_and_by_pace_where_nothing_is_drawn(open_studio):
    engine, undrawn = FakeEngine(), FakeEngine(replace(UNDRAWN, id="undrawn"))
    engines = {"fake": engine, "undrawn": undrawn}
    studio = open_studio(infos={name: one.info for name, one in engines.items()}, open_engine=engines.__getitem__)
    script = made(studio, "Good evening.", "ANNA: Good evening.", cast=[CastMember(name="ANNA", model="undrawn")])
    drawn, paced = say_all(studio, script, n_takes=3)
    assert len({one.seed for one in drawn.takes}) == 3 and {one.pace for one in drawn.takes} == {1.0}
    assert [one.pace for one in paced.takes] == [1.0, 0.95, 1.05] and [one.seed for one in paced.takes] == [0, 1, 2]
    assert [options["speed"] for options in undrawn.options] == pytest.approx([1.0, 0.95, 1.05])


def test_the_seed_of_the_cast_is_that_of_the_first_take_and_of_no_other(open_studio):
    studio = open_studio()
    script = made(studio, "Good evening.", cast=[CastMember(options={"seed": 7})])
    seeds = [one.seed for one in say_all(studio, script, n_takes=2)[0].takes]
    assert seeds[0] == 7 != seeds[1]


def test_a_pace_that_went_comes_again():
    takes = [replace(take(str(n)), seed=n, pace=PACES[n]) for n in (0, 2, 3)]
    assert candidate_of(UNDRAWN, takes) == Candidate(1, 0.95)
    assert candidate_of(UNDRAWN, takes, beside=[Candidate(1, 0.95)]) == Candidate(4, 1.1)
    assert candidate_of(replace(INFO, options=()), takes) == Candidate()


# --- which is heard


def test_one_take_more_is_heard_and_of_several_none_before_it_is_chosen(open_studio):
    studio = open_studio()
    script = made(studio, "Good evening.")
    line = say_all(studio, script)[0]
    studio.scripts.say_again(script, line.id)
    again = said(studio, script)[0]
    assert again.chosen == again.takes[1].id
    studio.scripts.say_again(script, line.id, 3, seed=11)
    several = said(studio, script)[0]
    assert several.chosen == again.chosen and len(several.takes) == 5 and several.takes[-1].seed == 11
    studio.scripts.choose(script, line.id, line.takes[0].id)
    studio.scripts.say_again(script, line.id)
    full = said(studio, script)[0]
    assert len(full.takes) == 5 and again.takes[1].id not in {one.id for one in full.takes}, "the oldest that is not heard went"
    studio.scripts.delete_take(script, line.id, full.chosen)
    assert studio.scripts.line(script, line.id).chosen == ""
    with pytest.raises(TakeUnknown):
        studio.scripts.delete_take(script, line.id, full.chosen)


def test_several_takes_of_a_line_that_was_never_said_have_the_first_heard(open_studio):
    studio = open_studio()
    line = say_all(studio, made(studio, "Good evening."), n_takes=3)[0]
    assert line.chosen == line.takes[0].id


# --- the best of several


@pytest.mark.parametrize(
    ("takes", "best", "why"),
    [
        ([take("a", 2), take("b", 1), take("c", 3)], "b", "best_words"),
        ([take("a", 1, 0.9, 4.5), take("b", 0, 0.5, 1.5)], "b", "best_words"),
        ([take("a", likeness=0.80), take("b", likeness=0.80 + 2 * LIKENESS_NOISE, quality=2.0)], "b", "best_likeness"),
        ([take("a", likeness=0.80, quality=3.0), take("b", likeness=0.80 + LIKENESS_NOISE / 2, quality=2.0)], "a", "best_quality"),
        ([take("a", quality=3.0), take("b", quality=3.0 + 2 * QUALITY_NOISE)], "b", "best_quality"),
        ([take("a"), take("b", likeness=0.8 + LIKENESS_NOISE / 2, quality=3.5 + QUALITY_NOISE / 2)], "a", "best_alike"),
        ([take("a", 1), take("b", 0), take("c", 0, 0.9)], "c", "best_likeness"),
        ([take("a", likeness=None), take("b", likeness=None, quality=4.5)], "b", "best_quality"),
        ([take("a", None), take("b", 0)], "a", "best_alike"),
        ([take("a")], "a", "best_only"),
    ],
)
def test_fewest_wrong_words_then_likeness_then_quality(takes, best, why):
    found = best_take(takes)
    assert (found.take_id, found.reason["key"]) == (best, why)


def test_what_is_heard_now_stays_where_nothing_decides():
    assert best_take([take("a"), take("b"), take("c", 1)], chosen="b").take_id == "b"


def test_the_reason_has_the_figures_of_all():
    assert best_take([take("a", 2), take("b", 1), take("c", 3)]).reason["values"] == {"n": 1, "others": [2, 3]}
    assert best_take([take("a", 1), take("b", likeness=0.9), take("c")]).reason["values"] == {"likeness": 0.9, "others": [0.8]}
    assert best_take([take("a", quality=4.1239), take("b")]).reason["values"] == {"quality": 4.12, "others": [3.5]}


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "zh"])
def test_each_reason_has_its_sentence(language):
    pairs = [
        [take("a", 2), take("b", 1)],
        [take("a"), take("b", likeness=0.9)],
        [take("a"), take("b", quality=4.5)],
        2 * [take("a")],
        [take("a")],
    ]
    reasons = [best_take(pair).reason for pair in pairs]
    assert len({reason["key"] for reason in reasons}) == 5
    for reason in reasons:
        assert sentences_in(language).words(f"scripts.{reason['key']}", reason["values"])
    assert sentences_in("en").words("scripts.best_words", reasons[0]["values"]) == "1 wrong word, the others 2"


@pytest.fixture
def ears(monkeypatch):
    """Ears that hear of each sound what a test says, in turn."""
    heard: list[str] = []
    monkeypatch.setattr(Transcriber, "_lack", lambda self: None)
    monkeypatch.setattr(Transcriber, "name", "whisper-base")
    monkeypatch.setattr(Transcriber, "write", lambda self, clip, language=None: FakeWhisperWords(heard.pop(0)))
    install_ears(monkeypatch)
    return heard


class FakeWhisperWords:
    def __init__(self, text: str):
        self.text = text


def test_the_ears_choose_among_what_was_just_said(open_studio, ears):
    studio = open_studio()
    store_voice(studio, "Anna")
    script = made(studio, "ANNA: The train leaves at nine.", cast=[CastMember(name="ANNA", voice="Anna")])
    ears[:] = ["the rain leaves at nine", "the train leaves at nine", "a rain leaves at nine"]
    line = say_all(studio, script, n_takes=3, best=True)[0]
    assert line.chosen == line.takes[1].id
    assert line.takes[1].reason == {"key": "best_words", "values": {"n": 0, "others": [1, 2]}}
    assert [one.reason for one in line.takes[::2]] == [None, None]
    assert line.takes[0].estimates == TakeEstimates(1, 5, 0.8, 3.5, "the rain leaves at nine")


def test_takes_that_are_there_are_heard_once_and_compared(open_studio, ears):
    studio = open_studio()
    script = made(studio, "The train leaves at nine.", "Good night.")
    first = say_all(studio, script, n_takes=2)[0]
    say_all(studio, script)
    ears[:] = ["the rain leaves at nine", "the train leaves at nine"] + 2 * ["good night"]
    studio.scripts.choose_best(script)
    line = said(studio, script)[0]
    assert line.chosen == first.takes[1].id and line.takes[0].estimates.likeness is None, "a built-in voice is like nobody"
    put(studio, script, 0, text="The train leaves at ten.")
    studio.scripts.choose_best(script)
    assert said(studio, script)[0].chosen == line.chosen, "stale takes are not compared"
    with pytest.raises(TakeUnknown):
        studio.scripts.choose_best(other := made(studio, "Never said."), studio.scripts.line_ids(other))


def test_a_word_that_the_dictionary_says_otherwise_is_no_error(open_studio, ears):
    studio = open_studio()
    studio.lexicon.put(LexiconEntry("Nguyen", "win"))
    script = made(studio, "Mister Nguyen left.")
    ears[:] = ["mister win left", "mister nguyen left"]
    line = say_all(studio, script, n_takes=2, best=True)[0]
    assert [one.estimates.word_errors for one in line.takes] == [0, 0]


def test_without_ears_the_best_is_refused_with_the_next_step(open_studio):
    studio = open_studio()
    script = made(studio, "Good evening.")
    line = say_all(studio, script)[0]
    for ask in (
        lambda: studio.scripts.say(script, Saying(n_takes=3, best=True)),
        lambda: studio.scripts.say_again(script, line.id, 3, best=True),
        lambda: studio.scripts.choose_best(script),
    ):
        with pytest.raises(TranscriberMissing) as refused:
            ask()
        assert "make ears" in refused.value.hint
    wait_for(studio, script)
    assert len(studio.scripts.line(script, line.id).takes) == 1


def test_a_take_is_kept_as_it_was_spoken(open_studio):
    studio = open_studio(FakeEngine())
    script = made(studio, "Good evening.")
    line = say_all(studio, script)[0]
    samples = sound_of(studio, script, line)
    assert len(samples) == round(line.chosen_take.seconds * 24_000) and np.abs(samples).max() == pytest.approx(16_384, abs=20)


def test_a_take_knows_when_its_words_are_heard_or_why_nobody_does(open_studio, monkeypatch):
    def refuse(*args) -> None:
        raise WordTimesUnknown(sentence="word_times_unlike")

    monkeypatch.setattr("studio.speech.speech.aligned_intervals", refuse)
    engines = {"marker": FakeEngine(MARKER), "fake": FakeEngine()}
    studio = open_studio(infos={name: one.info for name, one in engines.items()}, open_engine=engines.__getitem__)
    script = made(studio, " Good evening, Nguyen.", "ANNA: Good evening.", cast=[CastMember(name="ANNA", model="fake")])
    studio.scripts.edit(script, [SetDictionary(entries=(WrittenEntry(written="Nguyen", said="win"),))])
    marked, unmarked = say_all(studio, script)
    words, why = studio.scripts.take_words(script, marked.id, marked.chosen)
    assert [(word.written, word.said, word.start) for word in words] == [
        ("Good", "Good", 1),
        ("evening", "evening", 6),
        ("Nguyen", "win", 15),
    ]
    assert words[-1].end_seconds <= marked.chosen_take.seconds and why == ""
    assert studio.scripts.take_words(script, unmarked.id, unmarked.chosen) == (None, "word_times_unlike")
