"""Claims about the judge of a cell: every figure is of the sound, the text and the voice that it was given, and what lacks is told."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.analysis import second_encoder
from studio.analysis.estimators import Estimators
from studio.analysis.quiet_worker import QuietWorkerFull
from studio.analysis.transcriber import Transcriber
from studio.evaluations.measures import lacking, patient_ears
from studio.evaluations.measures.cell_judge import CellJudge
from studio.evaluations.measures.families import families_here
from studio.evaluations.measures.known_speakers import JudgedVoice, jointed
from studio.evaluations.plan.evaluation import WordFloor
from studio.evaluations.plan.figures import FAMILIES, FIGURES
from studio.evaluations.plan.plan import EvaluationText
from tests.evaluations.measures.sounds import RATE, buzz
from tests.evaluations.measures.test_versa_measures import PlayedVersa
from tests.stand_ins.estimators_stand_in import PlayedEars, install_ears
from tests.stand_ins.whisper_stand_in import Hearsay, install
from tests.ui.clips.clips import speech_like

TEXT = EvaluationText(id="t", text="red green", language="en")
SOUND = speech_like(2.0, RATE)
VOICES = {"ada": JudgedVoice(Clip(speech_like(3.0, RATE), RATE), "red green blue", "en"), "bob": JudgedVoice(buzz(110))}
OF_SOUND = {name for name, kind in FIGURES.items() if kind.family != "speed"}
ALL_BUT_SPEED = set(FAMILIES) - {"speed", "versa"}


@pytest.fixture
def whisper(monkeypatch, tmp_path) -> Hearsay:
    return install(monkeypatch, tmp_path / "weights")


@pytest.fixture
def ears(monkeypatch) -> PlayedEars:
    played = install_ears(monkeypatch)
    known = {len(VOICES["ada"].clip.samples): (1.0, 0.0), len(VOICES["bob"].clip.samples): (0.0, 1.0)}
    played.embedding = lambda clip: np.array(known.get(len(clip.samples), (0.8, 0.6)))
    return played


@pytest.fixture
def open_judge(request) -> Iterator[Callable[..., CellJudge]]:
    """open_judge(voices, **named) -> CellJudge, with the transcriber's weights that the test has."""
    opened = []

    def start(voices=VOICES, **named) -> CellJudge:
        weights = request.getfixturevalue("whisper").checkpoint if "whisper" in request.fixturenames else None
        transcriber = Transcriber(weights)
        estimators = Estimators(transcriber)
        judge = CellJudge.opened(estimators, transcriber, voices, **named)
        opened.extend((judge, estimators, transcriber))
        return judge

    yield start
    for part in opened:
        part.close()


def test_every_figure_of_a_sound_is_there_and_is_the_same_again(whisper, ears, open_judge, monkeypatch):
    monkeypatch.setattr(second_encoder, "is_here", lambda: True)
    heard_by_second = {"embedding": lambda self, clip: np.array([0.6, 0.8])}
    monkeypatch.setattr(second_encoder, "SecondEncoder", type("PlayedSecond", (), heard_by_second))
    judge = open_judge()
    found = judge.measures(SOUND, RATE, TEXT, "ada")
    assert set(found.values) | {"noise_db"} == OF_SOUND and not found.lacking
    assert (found.heard, found.n_words, found.values["wrong_words"]) == ("red green blue", 2, 50)
    assert (found.values["likeness"], found.values["other_likeness"], found.values["second_likeness"]) == pytest.approx((0.8, 0.6, 1.0))
    assert [found.values[name] for name in ("dnsmos", "dnsmos_speech", "dnsmos_background", "distillmos")] == [3.1, 3.2, 4.3, 3.5]
    assert judge.measures(SOUND, RATE, TEXT, "ada") == found
    assert judge.recognizer == "weights"


def test_of_a_text_and_its_readings_the_one_counts_that_was_heard_best(whisper, ears, open_judge):
    judge = open_judge(families=["words"])
    said = TEXT.model_copy(update={"text": "crimson green blue"})
    plain, read = (judge.measures(SOUND, RATE, said, "ada", readings=readings) for readings in ((), ("red green blue", "red")))
    assert (plain.values["wrong_words"], read.values["wrong_words"]) == (pytest.approx(100 / 3), 0)
    assert judge.measures(SOUND, RATE, TEXT.model_copy(update={"text": "!"}), "ada").lacking == {"words": lacking.NO_WORDS}
    assert judge.measures(SOUND, RATE, None, "ada").values == {}


def test_a_language_that_nobody_gave_is_guessed_from_the_text(whisper, ears, open_judge):
    judge = open_judge(families=["words"])
    judge.measures(SOUND, RATE, EvaluationText(id="t", text="Das ist nicht der richtige Weg, und ich weiß es."), "ada")
    assert whisper.asked[-1]["language"] == "de"


def test_who_has_no_recording_is_like_nobody_and_has_no_pitch_to_be_compared_with(whisper, ears, open_judge):
    found = open_judge(families=["likeness", "prosody"]).measures(SOUND, RATE, TEXT, "preset")
    assert found.values.keys() == {"length"}
    assert found.lacking == {"likeness": lacking.NO_RECORDING, "prosody": lacking.NO_RECORDING}


def test_the_words_of_a_recording_that_nobody_knows_are_heard_once(whisper, ears, open_judge):
    judge = open_judge(families=["prosody"])
    assert all("pace" in judge.measures(SOUND, RATE, TEXT, "bob").values for _ in range(2))
    assert len(whisper.heard) == 1


def test_a_reference_recording_is_what_the_length_is_compared_with(whisper, ears, open_judge):
    judge = open_judge(families=["prosody"])
    reference = Clip(np.tile(SOUND, 2), RATE)
    assert judge.measures(SOUND, RATE, TEXT, "ada", reference=reference).values["length"] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(("samples", "why"), [(np.zeros(0), lacking.NO_SOUND), (np.full(RATE, np.nan), lacking.NOT_FINITE)])
def test_what_is_no_sound_has_no_figures_and_says_why(whisper, ears, open_judge, samples, why):
    found = open_judge().measures(samples, RATE, TEXT, "ada")
    assert (found.values, found.heard, found.lacking) == ({}, None, dict.fromkeys(ALL_BUT_SPEED, why))


@pytest.mark.parametrize(
    ("samples", "why"), [(np.zeros(RATE), lacking.NOTHING_HEARD), (np.ones(1), lacking.NOTHING_HEARD), (SOUND[:1000], lacking.TOO_SHORT)]
)
def test_in_silence_all_words_are_wrong_and_nobody_listens(whisper, ears, open_judge, samples, why):
    found = open_judge().measures(samples, RATE, TEXT, "ada")
    assert (found.heard, found.values["wrong_words"], whisper.heard) == ("", 100, [])
    assert {found.lacking[family] for family in ("likeness", "dnsmos", "distillmos", "prosody")} == {why}
    assert not found.values.keys() & {"likeness", "dnsmos", "distillmos", "pace", "lufs"} and "peak_db" in found.values


def test_words_of_a_long_sound_are_heard_to_its_end_but_not_for_ever(whisper, ears, open_judge):
    judge = open_judge(families=["words"])
    judge.measures(np.tile(SOUND, 40), RATE, TEXT, "ada")
    assert len(whisper.heard[-1]) == 80 * 16_000
    found = judge.measures(np.tile(SOUND[:: RATE // 1000], 302), 1000, TEXT, "ada")
    assert found.lacking == {"words": patient_ears.TOO_LONG} and not found.values


def test_what_is_not_installed_is_told_and_the_rest_is_measured(open_judge):
    judge = open_judge(families=["words", "dnsmos", "distillmos", "loudness"])
    found = judge.measures(SOUND, RATE, TEXT, "ada")
    assert found.lacking.keys() == {"words", "dnsmos", "distillmos"} and found.values.keys() == {"lufs", "peak_db"}
    silent = judge.measures(np.zeros(RATE), RATE, TEXT, "ada")
    assert "wrong_words" not in silent.values and silent.lacking["words"] == found.lacking["words"]
    assert judge.recognizer == ""


def test_it_waits_for_ears_that_others_keep_busy_and_gives_up_when_it_is_stopped(whisper, ears, open_judge, monkeypatch):
    monkeypatch.setattr(patient_ears, "PATIENCE_SECONDS", 0)
    is_stopped = [False]
    judge = open_judge(families=["words", "dnsmos", "distillmos"], is_stopped=lambda: is_stopped[0])
    full = [QuietWorkerFull] * 3

    def busy_at_first(worker, work):
        if full:
            raise full.pop()
        return run(worker, work)

    run = patient_ears.Estimators.estimates.__globals__["QuietWorker"].run
    monkeypatch.setattr("studio.analysis.quiet_worker.QuietWorker.run", busy_at_first)
    found = judge.measures(SOUND, RATE, TEXT, "ada")
    assert not full and found.values.keys() == {"wrong_words", "dnsmos", "dnsmos_speech", "dnsmos_background", "distillmos"}
    full += [QuietWorkerFull] * 100
    is_stopped[0] = True
    assert judge.measures(SOUND, RATE, TEXT, "ada") is None is judge.floors(["en"])


def test_when_the_studio_closes_nothing_is_measured(whisper, ears, open_judge):
    judge = open_judge()
    judge._ears.estimators.close()
    assert judge.measures(SOUND, RATE, TEXT, "ada") is None


def test_the_floor_is_of_recordings_whose_words_a_person_wrote(whisper, ears, open_judge):
    two = jointed([Clip(SOUND, RATE)] * 2)
    judge = open_judge(VOICES | {"eve": JudgedVoice(lambda: two, "red green blue\nred blue", "en-GB")})
    heard_twice = 1  # of eve's five words "green" was not said
    assert judge.floors(["en", "de"]) == (WordFloor("en", None, heard_twice / 8, 8), WordFloor("de", None, None, 0))
    assert len(whisper.heard) == 3
    (floor,) = judge.floors(["de"], [(Clip(SOUND, RATE), "red green", "de"), (Clip(SOUND, RATE), "rouge", "fr")])
    assert floor == WordFloor("de", None, 0.5, 2)


def test_the_published_floor_is_of_the_recognizers_name(whisper, ears, open_judge, monkeypatch):
    monkeypatch.setattr(Transcriber, "name", "whisper-base")
    assert open_judge({}).floors(["de-AT"]) == (WordFloor("de-AT", 0.177),)


def test_versa_is_asked_only_with_a_configuration_and_compares_with_the_recording(whisper, ears, open_judge, monkeypatch, tmp_path):
    played = PlayedVersa(monkeypatch, tmp_path, is_old=True)
    assert open_judge(families=["versa"]).measures(SOUND, RATE, TEXT, "ada").values == {}
    judge = open_judge(families=["versa"], versa="- name: pesq")
    assert judge.measures(SOUND, RATE, TEXT, "ada").values == {"versa.pesq": 2.5, "versa.n": 3}
    assert len(played.asked[-1][1]) == len(VOICES["ada"].clip.samples)
    judge.measures(SOUND, RATE, TEXT, "ada", reference=buzz(110, 0.5))
    assert len(played.asked[-1][1]) == RATE // 2
    judge.measures(SOUND, RATE, TEXT, "preset")
    assert played.asked[-1][1] is None


def test_families_that_can_be_had_are_told(ears, whisper):
    here = families_here(Estimators(Transcriber(whisper.checkpoint)))
    assert tuple(here) == FAMILIES and {name for name, why in here.items() if why} == {"versa"}
