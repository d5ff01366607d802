"""A run of an evaluation: what is said, timed, measured and kept; what is refused; what goes on where it was."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engines.contract.contract import EngineInfo
from engines.errors import EngineFailed, EngineUnavailable
from studio.errors import DiskFull, EvaluationLent, OwnerOnly
from studio.evaluations.plan.cell import CellKey
from studio.evaluations.plan.order import EvaluationOrder
from studio.evaluations.plan.plan import EvaluationText
from studio.service import Studio
from studio.workspace import is_of_an_evaluation
from tests.evaluations.made_plans import CountingJudge, enrollment, order_of, plan_of, run_of, tone
from tests.stand_ins.fake_engine import INFO, N_STEPS, REFINER, FakeEngine
from tests.stand_ins.full_disk import refusing_disk

STILL = replace(INFO, id="still", title="Still", draws=False)


class Engines:
    """opened: each engine that was opened, by its id, in turn. before: runs before each chunk of that engine. lacking: ids."""

    def __init__(self, *infos: EngineInfo):
        self.infos = {info.id: info for info in infos}
        self.opened: dict[str, list[FakeEngine]] = {info.id: [] for info in infos}
        self.before: dict[str, Callable[[int], None]] = {}
        self.lacking: set[str] = set()

    def open(self, name: str) -> FakeEngine:
        if name in self.lacking:
            raise EngineUnavailable(f"{name} has no weights.", "Fetch them.")

        def before_chunk(index: int) -> None:
            if name in self.before:
                self.before[name](index)

        engine = FakeEngine(self.infos[name], before_chunk=before_chunk)
        self.opened[name].append(engine)
        return engine

    def texts(self, name: str) -> list[str]:
        return [text for engine in self.opened[name] for text in engine.texts]


@pytest.fixture
def engines() -> Engines:
    return Engines(INFO, STILL, REFINER)


@pytest.fixture
def studio(open_studio, engines) -> Studio:
    return open_studio(infos=engines.infos, open_engine=engines.open)


def finished(studio: Studio, plan, judge: CountingJudge | None = None):
    evaluation, _ = studio.evaluations.create(order_of(plan))
    run_of(studio, evaluation.id, judge).work()
    return studio.evaluations.data(evaluation.id)


def test_every_cell_is_said_and_then_measured_once(studio):
    judge = CountingJudge()
    data = finished(studio, plan_of("fake", "still", voices=("anna", "ben", "tone"), seeds=(1, 2)), judge)
    assert data.evaluation.state == "done" and data.recognizer == "counting"
    keys = [cell.key for cell in data.cells]
    assert len(keys) == 3 * 2 * 2 + 3 * 2 == data.evaluation.n_cells == len(set(keys))
    assert not [key for key in keys if key.system == "still" and key.seed == 2]  # it would sound the same
    assert len(judge.measured) == len(keys) and judge.n_closed == 1 and judge.voices == ("anna", "ben")
    by_key = {cell.key: cell for cell in data.cells}
    one, other = (by_key[CellKey("fake", "anna", "t0", seed)] for seed in (1, 2))
    assert one.said.sound.sha256 != other.said.sound.sha256
    assert one.measures.values.keys() == {"wrong_words", "ttfp_ms", "rtf"} and one.measures.heard == "heard"


def test_the_first_request_in_a_voice_is_timed_apart_and_all_others_are_warm(studio, engines):
    data = finished(studio, plan_of("fake", voices=("anna", "tone")))
    assert [(run.system, run.voice) for run in data.voices] == [("fake", "anna")]
    assert data.voices[0].cold_ttfp_seconds > 0 and data.voices[0].learn_seconds > 0
    assert all(cell.said.ttfp_seconds is not None for cell in data.cells)
    assert engines.texts("fake") == ["text a", "text a", "text b"] * 2  # the first of each voice is kept by nobody
    assert [run.system for run in data.systems] == ["fake"] and data.systems[0].open_seconds > 0


def test_a_voice_that_is_stored_is_learned_anew_and_stays_untouched(studio, engines):
    studio.enroll(enrollment("Anna"))
    studio.warm("Anna", "fake")
    plan = plan_of("fake")
    plan = plan.model_copy(update={"voices": (plan.voices[0].model_copy(update={"name": "Anna"}),)})
    evaluation, _ = studio.evaluations.create(EvaluationOrder(plan))
    run_of(studio, evaluation.id).work()
    assert sum(engine.extractions for engine in engines.opened["fake"]) == 2
    assert studio.evaluations.data(evaluation.id).voices[0].cold_ttfp_seconds is not None
    assert [speaker.name for speaker in studio.speakers()] == ["Anna"] and studio.prompts.places(studio.speaker("Anna")) != {}


def test_what_refines_is_refined_before_its_first_cell_unless_the_first_is_asked_for(studio, engines):
    finished(studio, plan_of("refiner", learn="best"))
    assert len(engines.opened["refiner"][0].steps) == N_STEPS
    finished(studio, plan_of("refiner", learn="now"))
    assert not engines.opened["refiner"][1].steps


def test_copies_of_voices_are_seen_by_nobody_and_go_with_the_run(studio, engines):
    seen = []
    engines.before["fake"] = lambda index: seen.append(
        ([speaker.workspace for speaker in studio.store.speakers()], [speaker.name for speaker in studio.speakers()])
    )
    finished(studio, plan_of("fake", voices=("anna", "ben")))
    assert all(len(copies) == 1 and is_of_an_evaluation(copies[0]) and not names for copies, names in seen) and seen
    assert studio.store.speakers() == ()


def test_a_copy_counts_for_no_limit(open_studio, engines):
    studio = open_studio(infos=engines.infos, open_engine=engines.open, most_speakers=1)
    studio.enroll(enrollment("Anna"))
    data = finished(studio, plan_of("fake", voices=("anna", "ben")))
    assert data.evaluation.state == "done" and not [cell for cell in data.cells if cell.said.refused]


def test_what_an_engine_cannot_say_is_refused_with_its_reason_and_the_rest_goes_on(studio):
    french = EvaluationText(id="fr", text="Bonjour", language="fr")
    data = finished(studio, plan_of("fake", voices=("anna",), texts=[french]))
    refused = {cell.key.text: cell.said.refused for cell in data.cells if cell.said.refused}
    assert list(refused) == ["fr"] and refused["fr"]["reason_code"] == "language_unsupported" and refused["fr"]["message"]
    assert data.evaluation.state == "done" and sum(cell.said.sound is not None for cell in data.cells) == 2


def test_a_built_in_voice_that_an_engine_has_not_is_refused_and_nobody_speaks_in_its_place(open_studio):
    engines = Engines(INFO, replace(INFO, id="other", title="Other", presets=("bass",), default_preset="bass"))
    studio = open_studio(infos=engines.infos, open_engine=engines.open)
    data = finished(studio, plan_of("fake", "other", voices=("tone",)))
    assert {cell.said.refused["reason_code"] for cell in data.cells if cell.key.system == "other"} == {"preset_unknown"}
    assert not engines.texts("other") and len([cell for cell in data.cells if cell.said.sound]) == 2


def test_an_engine_that_is_not_here_leaves_its_cells_for_later(studio, engines):
    engines.lacking.add("fake")
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake", "still")))
    with pytest.raises(EngineUnavailable):
        run_of(studio, evaluation.id).work()
    data = studio.evaluations.data(evaluation.id)
    assert data.evaluation.state == "stopped" and {cell.key.system for cell in data.cells} == {"still"}
    assert all(cell.measures for cell in data.cells)
    engines.lacking.clear()
    run_of(studio, evaluation.id).work()
    assert studio.evaluations.evaluation(evaluation.id).state == "done" and engines.texts("still") == ["text a", "text a", "text b"]


def test_a_text_that_an_engine_fails_at_is_refused_and_an_engine_that_fails_at_all_is_left_for_later(studio, engines):
    def fail(index: int) -> None:
        if is_broken or engines.texts("fake")[-1] == "text b":
            raise EngineFailed("The fake engine broke.")

    is_broken, engines.before["fake"] = False, fail
    data = finished(studio, plan_of("fake", n_texts=3))
    assert [cell.key.text for cell in data.cells if cell.said.refused] == ["t1"] and data.evaluation.state == "done"
    assert engines.texts("fake").count("text b") == 2  # once more, since it may have been a moment's
    is_broken = True
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake", n_texts=5)))
    with pytest.raises(EngineFailed):
        run_of(studio, evaluation.id).work()
    assert studio.evaluations.evaluation(evaluation.id).n_said == 0


def test_stopped_it_goes_on_where_it_was_and_says_nothing_twice(studio, engines):
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake", n_texts=4)))
    run = run_of(studio, evaluation.id)
    engines.before["fake"] = lambda index: run.stop.give() if engines.texts("fake")[-1] == "text c" else None
    run.work()
    before = studio.evaluations.data(evaluation.id)
    assert before.evaluation.state == "stopped" and [cell.key.text for cell in before.cells] == ["t0", "t1"]
    assert studio.store.speakers() == ()
    engines.before.clear()
    run_of(studio, evaluation.id).work()
    after = studio.evaluations.data(evaluation.id)
    assert after.evaluation.state == "done" and [cell.said for cell in after.cells[:2]] == [cell.said for cell in before.cells]
    # the broken-off one again; and one that teaches the voice, kept by nobody
    assert engines.texts("fake") == ["text a", "text a", "text b", "text c", "text c", "text c", "text d"]


def test_measuring_that_is_stopped_goes_on_where_it_was(studio):
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake", n_texts=3)))
    judge = CountingJudge()
    run = run_of(studio, evaluation.id, judge)
    measures, judge.measures = judge.measures, lambda *given, **named: (measures(*given, **named), run.stop.give())[0]
    run.work()
    assert studio.evaluations.evaluation(evaluation.id).n_measured == 1
    run_of(studio, evaluation.id, judge).work()
    assert [text for text, _, _ in judge.measured] == ["t0", "t1", "t2"]


def test_a_voice_that_is_deleted_leaves_and_what_was_said_stays_unless_it_is_wanted_gone(studio, engines):
    studio.enroll(enrollment("Anna"))
    plan = plan_of("fake", n_texts=3)
    plan = plan.model_copy(update={"voices": (plan.voices[0].model_copy(update={"name": "Anna"}),)})
    evaluation, _ = studio.evaluations.create(EvaluationOrder(plan))
    digest = evaluation.plan.voices[0].clip
    generation = studio.speaker("Anna").generation_id
    assert studio.evaluations.recording(evaluation.id, digest)

    def delete(index: int) -> None:
        if engines.texts("fake")[-1] == "text b" and studio.speakers():
            studio.forget("Anna")

    engines.before["fake"] = delete
    run_of(studio, evaluation.id).work()
    data = studio.evaluations.data(evaluation.id)
    assert [bool(cell.said.sound) for cell in data.cells] == [True, True, False]
    assert data.cells[2].said.refused["reason_code"] == "evaluation_recording_unknown"
    assert not [*studio.evaluations._files.folder(evaluation.id).glob("*.wav")] and studio.store.speakers() == ()
    used = studio.evaluations.speaker_gone(generation, delete_sounds=True)
    assert [one.id for one in used] == [evaluation.id]
    assert not [cell for cell in studio.evaluations.data(evaluation.id).cells if cell.said.sound]
    assert not [*studio.evaluations._files.folder(evaluation.id).glob("*.flac")]


def test_a_full_disk_ends_the_run_and_what_is_kept_stays(studio, engines):
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake", n_texts=3)))
    run, disk = run_of(studio, evaluation.id), refusing_disk()
    engines.before["fake"] = lambda index: disk.__enter__() if engines.texts("fake")[-1] == "text c" and index == 0 else None
    try:
        with pytest.raises((OSError, DiskFull)):
            run.work()
    finally:
        disk.__exit__(None, None, None)
    engines.before.clear()
    assert studio.evaluations.evaluation(evaluation.id).n_said == 2
    run_of(studio, evaluation.id).work()
    assert studio.evaluations.evaluation(evaluation.id).state == "done"


def test_an_engine_that_was_unloaded_meanwhile_says_the_cell_again_warm(studio, engines):
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake", n_texts=2)))
    put, done = studio.evaluations._store.put_said, []

    def put_and_unload(evaluation_id, said) -> None:
        put(evaluation_id, said)
        done.append(said)
        if len(done) == 1:
            studio.unload("fake")

    studio.evaluations._store.put_said = put_and_unload
    run_of(studio, evaluation.id).work()
    assert len(engines.opened["fake"]) == 2 and engines.opened["fake"][1].texts == ["text b", "text b"]
    assert all(said.ttfp_seconds is not None for said in done)


def test_brought_sounds_are_measured_and_what_was_not_brought_is_refused(studio):
    evaluation, is_new = studio.evaluations.create(order_of(plan_of("fake", None, seeds=(1, 2))))
    assert is_new and evaluation.n_cells == 4 + 2
    key = CellKey("brought", "anna", "t0", 1)
    assert studio.evaluations.bring_sound(evaluation.id, key, tone(300)) and not studio.evaluations.bring_sound(evaluation.id, key, b"")
    run_of(studio, evaluation.id).work()
    data = studio.evaluations.data(evaluation.id)
    brought = {cell.key.text: cell for cell in data.cells if cell.key.system == "brought"}
    assert brought["t0"].measures and brought["t0"].said.ttfp_seconds is None
    assert brought["t1"].said.refused["reason_code"] == "evaluation_not_brought" and data.evaluation.state == "done"
    assert studio.evaluations.bring_sound(evaluation.id, CellKey("brought", "anna", "t1", 2), tone(300))  # of another seed
    assert studio.evaluations.evaluation(evaluation.id).n_cells == 4 + 4


def test_the_run_says_how_far_it_is_and_how_long_it_will_take(studio, engines):
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake", n_texts=3)))
    run, told = run_of(studio, evaluation.id), []
    engines.before["fake"] = lambda index: told.append(run.progress())
    run.work()
    assert [progress.done for progress in told] == sorted(progress.done for progress in told)
    assert {progress.phase for progress in told} == {"say"} and told[-1].now == CellKey("fake", "anna", "t2", 0)
    assert all(progress.total == 3 and progress.seconds_left > 0 for progress in told)
    assert [progress.is_learning for progress in told] == sorted((progress.is_learning for progress in told), reverse=True)
    assert told[0].is_learning and not told[-1].is_learning
    assert studio.evaluations._store.paces().keys() == {"say fake", "learn best fake", "measure all"}


def test_one_that_is_begun_beside_another_waits_for_its_turn(studio):
    one, other = (studio.evaluations.create(order_of(plan_of("fake", n_texts=n)))[0] for n in (1, 2))
    with studio.evaluations._files.turn() as is_mine:
        assert is_mine
        studio.evaluations.begin(one.id)
        studio.evaluations.begin(other.id)
        waiting = [studio.evaluations.progress(evaluation.id) for evaluation in (one, other)]
        assert all(progress.is_running and progress.phase == "" for progress in waiting)
        assert {evaluation.state for evaluation in studio.evaluations.evaluations()} == {"running"}
        for evaluation in (one, other):
            studio.evaluations.stop(evaluation.id)
    studio.evaluations._folder.jobs.close()
    assert {evaluation.state for evaluation in studio.evaluations.evaluations()} == {"ready"}


def test_only_the_owner_begins_one_where_visitors_are_kept_apart(open_studio, engines):
    studio = open_studio(infos=engines.infos, open_engine=engines.open, workspaces="private").within("visitor:1")
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake")))
    with pytest.raises(OwnerOnly):
        studio.evaluations.begin(evaluation.id)


def test_an_engine_that_borrows_its_gpu_is_refused(studio, monkeypatch):
    monkeypatch.setattr("studio.evaluations.evaluations.is_lent", lambda settings, name, info: name == "still")
    evaluation, _ = studio.evaluations.create(order_of(plan_of("fake", "still")))
    with pytest.raises(EvaluationLent):
        studio.evaluations.begin(evaluation.id)


def test_one_engine_is_open_at_a_time_and_at_the_end_those_that_were(studio, engines):
    studio.load("still")
    open_at, engines.before["fake"] = [], lambda index: open_at.append(_open(studio))
    engines.before["still"] = engines.before["fake"]
    finished(studio, plan_of("still", "fake"))
    assert set(map(tuple, open_at)) == {("still",), ("fake",)} and _open(studio) == ["still"]


def _open(studio: Studio) -> list[str]:
    return [status.info.id for status in studio.engines() if status.state == "ready"]
