"""What fails says what mends it, and few such changes lead any plan to a test that can be frozen."""

from pathlib import Path
from random import Random

import pytest

from studio.listening.plan.design_checks import design_checks
from studio.listening.plan.mends import patched
from studio.listening.plan.plan import ANCHORS, METHODS, Plan
from studio.listening.plan.plan_check import check_plan
from studio.listening.plan.uploads import Uploads
from studio.listening.render.checks import checks_of
from studio.words.sentences import sentences_in
from tests.listening.materials.panel import items_of, plan_of

MOST_STEPS = 6


def drawn_plan(chance: Random) -> Plan:
    """Of any shape that a studio keeps, and small."""
    systems = [{"id": f"s{n}", "voice": chance.choice((None, "Ana"))} for n in range(chance.choice((0, 1, 1, 2, 3, 13)))]
    reference = {"source": chance.choice(("recording", "files", "system"))} if chance.random() < 0.5 else None
    long = chance.choice((1, 1, 40))
    plan = {
        "systems": systems,
        "texts": [f"Text {n} " * long for n in range(chance.choice((0, 1, 2, 3, 8)))],
        "reference": reference,
        "anchors": [anchor for anchor in ANCHORS if chance.random() < 0.4],
        "listeners": chance.choice((1, 2, 5)),
        "repeats": chance.choice((1, 1, 3, 9)),
        "gold": chance.randrange(2),
        "training": chance.random() < 0.5,
    }
    return Plan.model_validate({"name": "Drawn", "method": chance.choice(METHODS)} | plan)


def needed(plan: Plan) -> list:
    items = items_of(plan) if len(" ".join(plan.texts)) < 900 else ()  # of long texts the length says how long a session is
    return [check for check in design_checks(plan, items) if check.needed and not check.passed]


@pytest.mark.parametrize("seed", range(16))
def test_any_plan_is_mended_in_a_few_steps(seed):
    plan = drawn_plan(Random(seed))
    check_plan(plan)
    for _ in range(MOST_STEPS):
        failing = needed(plan)
        if not failing:
            break
        assert all(check.mends for check in failing), failing
        said = sentences_in("en")
        assert all(said.words(f"tests.mend_{mend.key}", mend.values) for check in failing for mend in check.mends)
        plan = patched(plan, failing[0].mends[0])
        check_plan(plan)
    assert not needed(plan)


def test_ratings_of_few_texts_and_systems_can_be_frozen():
    for n_systems, n_texts in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 3), (12, 1), (3, 8)):
        assert not needed(plan_of("mos", n_systems, n_texts, listeners=5)), (n_systems, n_texts)
        assert not needed(plan_of("smos", n_systems, n_texts, listeners=5, reference={"source": "recording"})), (n_systems, n_texts)


def test_files_that_are_missing_leave_out_their_texts_or_a_whole_system(tmp_path):
    plan = Plan(name="Files", method="mos", systems=[{"id": name, "source": "files"} for name in "ab"], texts=["One", "Two", "Three"])
    folder = tmp_path / "uploads"
    folder.mkdir()
    for name in ("a.0.wav", "a.1.wav", "a.2.wav", "b.0", "b.2.flac"):
        (folder / name).write_bytes(name.encode())
    sounds = checks_of(plan, (), tmp_path)[0]
    assert [mend.key for mend in sounds.mends] == ["make"], "the first that is missing can be made"
    (folder / "a.0.wav").unlink()
    mends = checks_of(plan, (), tmp_path)[0].mends
    assert [(mend.key, mend.values) for mend in mends] == [
        ("leave_out_texts", {"n": 2, "texts": [1, 2]}),
        ("leave_out_systems", {"n": 2, "systems": ["a", "b"]}),
    ]
    after = patched(plan, mends[0])
    Uploads(tmp_path).follow(plan.texts, after.texts)
    assert after.texts == ("Three",)
    assert {place: path.read_text() for place, path in Uploads(tmp_path).files().items()} == {("a", 0): "a.2.wav", ("b", 0): "b.2.flac"}
    assert [mend.key for mend in checks_of(after, (), tmp_path)[0].mends] == ["make"]


def test_files_stay_where_texts_are_written_otherwise(tmp_path):
    folder = tmp_path / "uploads"
    folder.mkdir()
    (folder / "a.1").write_bytes(b"second")
    for after in (("One", "Too"), ("One",) * 3, ("Other",), ()):
        Uploads(tmp_path).follow(("One", "Two"), after)
        assert Uploads(tmp_path).files() == {("a", 1): Path(folder / "a.1")}


@pytest.mark.slow
def test_a_session_that_tires_is_mended_by_a_part_for_each():
    plan = plan_of("mushra", 4, 40, reference={"source": "files"}, anchors=("lowpass-3.5", "lowpass-7"))
    plan = plan.model_copy(update={"texts": tuple(f"{text}: a sentence of some length, that goes on for a while" for text in plan.texts)})
    [session] = [check for check in design_checks(plan, ()) if check.key == "session"]
    assert not session.passed and session.mends[0].key == "ask_a_part" and not session.mends[0].remakes
    checks = {check.key: check for check in design_checks(patched(plan, session.mends[0]), ())}
    assert checks["session"].passed and checks["coverage"].passed and checks["session"].values["minutes"] > 20
