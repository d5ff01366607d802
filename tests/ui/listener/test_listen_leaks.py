"""The leak hunt: 200 sounds of two engines that differ in all they can; nothing that a listener's browser sees before it decodes them
tells which engine made which."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from studio.listening.keep import store
from studio.listening.listening import Listening
from studio.listening.listening_folder import ListeningFolder
from studio.listening.plan.plan import Plan
from studio.listening.render import mastering
from studio.listening.vote import sessions
from studio.service import Studio
from studio.settings import Settings
from studio.ui.listener.listen import listen_routes
from studio.workspace import EVERYBODY
from tests.api.door import eventually
from tests.browser.studios import opened_tests
from tests.browser.studios.opened_tests import link_of, opened_test, plan_for
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.ui.create.guessers import GUESSERS, chance_of, n_right

N_TEXTS, N_LISTENERS = 25, 4  # of two engines each text: 200 sounds are heard
WAV_HEADER_BYTES = 44
SURE = 1e-6  # of what a clock says, which is never the same twice; a leak is found with far more certainty
CHANCE = 0.05
PLACES = (("ab", "A"), ("abx", "A"), ("abx", "X"), ("mushra-like", "1"))
N_PLACES = len(PLACES) * len(GUESSERS)  # looked at in one go, so that one of many is right by luck (Bonferroni)
WORDS = ("one", "seven", "a lamp", "the moon", "nobody", "a long way home")


class SlowDullEngine(FakeEngine):
    """As unlike the fake one as may be: 16 kHz, low, quiet, slow of speech, with breath, and silence at both ends."""

    def _tone(self, seconds, prompt, options) -> Iterator[np.ndarray]:
        time.sleep(0.002)  # its time to first sound
        n = int((1.7 * seconds + 0.2) * self.info.sample_rate)
        times = np.arange(n) / self.info.sample_rate
        chance = np.random.default_rng(n)
        sound = 0.02 * np.sin(2 * np.pi * 150 * times) + 0.001 * chance.standard_normal(n)
        sound[: n // 8] = sound[-n // 10 :] = 0.0
        yield sound.astype(np.float32)


DULL = replace(INFO, id="dull", title="Dull", sample_rate=16_000)
PLAN = {
    "name": "Leaks", "method": "mos", "training": False, "headphones": False, "language": "en",
    "systems": [{"id": "s1", "voice": "tone", "engine": "fake"}, {"id": "s2", "voice": "tone", "engine": "dull"}],
}  # fmt: skip


class Seeded:
    """Stands for `secrets`, so that names and orders are the same in every run."""

    def __init__(self):
        self._chance = random.Random(20)

    def token_urlsafe(self, n: int) -> str:
        return self._chance.randbytes(n).hex()[:22]

    def token_bytes(self, n: int) -> bytes:
        return self._chance.randbytes(n)

    def token_hex(self, n: int) -> str:
        return self._chance.randbytes(n).hex()


@dataclass(frozen=True)
class Seen:
    """By sound that was heard: figures (N, D), whether it is of the first engine (N,), seconds that its answer took (N,), and how long it
    was before it was made as long as the other of its text (N,)."""

    figures: np.ndarray
    truth: np.ndarray
    seconds: np.ndarray
    lengths: np.ndarray


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> Seen:
    infos = {"fake": INFO, "dull": DULL}
    settings = Settings(speakers_dir=tmp_path_factory.mktemp("leaks"), default_engine="fake")
    with pytest.MonkeyPatch.context() as patched:
        for module in (store, sessions, mastering):
            patched.setattr(module, "secrets", Seeded())
        studio = Studio(settings, infos=infos, open_engine=lambda name: {"fake": FakeEngine, "dull": SlowDullEngine}[name](infos[name]))
        try:
            test = _rendered(studio.listening)
            with TestClient(Starlette(routes=[listen_routes(studio)])) as client:
                heard = [each for _ in range(N_LISTENERS) for each in _heard_by_one(client, studio.listening, test)]
        finally:
            studio.close()
    names = sorted(set().union(*(figures for figures, *_ in heard)))
    table = np.array([[figures.get(name, -1.0) for name in names] for figures, *_ in heard])
    return Seen(table, *(np.array([each[place] for each in heard]) for place in (1, 2, 3)))


def _rendered(listening: Listening) -> str:
    """The id of a test that is open. Its texts are of 4 to 20 characters."""
    texts = [f"{n} {WORDS[n % len(WORDS)]}." for n in range(N_TEXTS)]
    test = listening.create(Plan.model_validate(PLAN | {"texts": texts})).id
    listening.begin_rendering(test)
    assert eventually(lambda: not listening.progress(test).is_running, seconds=120)
    assert listening.progress(test).failure is None and len(listening.test(test).items) == 2 * N_TEXTS
    listening.freeze(test)
    return test


def _heard_by_one(client: TestClient, listening: Listening, test: str) -> list[tuple[dict[str, float], bool, float, float]]:
    link = link_of(listening, test)
    begun = client.post(f"/listen/{link}/sessions", json={"consent": True}).json()
    items = {item.id: item for item in listening.test(test).items}
    played = [items[trial.slots[0].item] for trial in listening.session(test, begun["token"]).trials]
    answers, seconds = [], []
    for trial in begun["trials"]:
        start = time.perf_counter()
        answers.append(client.get(f"/listen/{link}/sounds/{trial['slots'][0]['sound']}.wav"))
        seconds.append(time.perf_counter() - start)
    sizes = [len(answer.content) for answer in answers]
    rows = []
    for position, (trial, answer, item) in enumerate(zip(begun["trials"], answers, played, strict=True)):
        beside = {"size before": sizes[position - 1], "size after": sizes[(position + 1) % len(sizes)]}
        is_second = sizes[position] in sizes[:position]
        figures = _figures(position, trial, answer) | beside | {"second of its size": float(is_second)}
        rows.append((figures, item.system == "s1", seconds[position], item.seconds))
    return rows


def _figures(position: int, trial: dict, answer) -> dict[str, float]:
    """Everything about one sound, as numbers."""
    [slot] = trial["slots"]
    figures = {"position": position, "odd": position % 2, "number": trial["number"], "members": len(trial), "size": len(answer.content)}
    figures |= {f"name {place}": int(digit, 16) for place, digit in enumerate(slot["sound"])}
    figures |= {f"header byte {place}": byte for place, byte in enumerate(answer.content[:WAV_HEADER_BYTES])}
    for name, value in answer.headers.multi_items():
        figures |= {f"{name}": sum(value.encode()), f"{name} length": len(value)}
    return {name: float(value) for name, value in figures.items()}


def halves(truth: np.ndarray) -> np.ndarray:
    """Which half is known: of each engine as many."""
    chance, known = np.random.default_rng(7), np.zeros(len(truth), bool)
    for one in (True, False):
        places = np.flatnonzero(truth == one)
        known[chance.permutation(places)[: len(places) // 2]] = True
    return known


@pytest.mark.slow
def test_who_sees_all_but_the_sound_itself_guesses_no_better_than_chance(seen):
    assert (len(seen.truth), seen.truth.sum()) == (200, 100)
    known = halves(seen.truth)
    for guesser in GUESSERS:
        n = n_right(guesser, seen.figures, seen.truth, known)
        assert chance_of(n, int((~known).sum())) > CHANCE, f"{guesser.__name__}: {n} of {(~known).sum()} right"


@pytest.mark.slow
def test_the_time_that_an_answer_takes_tells_nothing(seen):
    known = halves(seen.truth)
    figures = np.c_[seen.seconds, np.argsort(np.argsort(seen.seconds)), np.log(seen.seconds)]
    for guesser in GUESSERS:
        assert chance_of(n_right(guesser, figures, seen.truth, known), int((~known).sum())) > SURE, guesser.__name__


@pytest.mark.slow
def test_the_same_guessers_find_what_is_there_to_be_found(seen):
    """With the length that each sound had of itself; else they would be no hunters."""
    known = halves(seen.truth)
    figures = np.c_[seen.figures, seen.lengths]
    assert [chance_of(n_right(guesser, figures, seen.truth, known), int((~known).sum())) < SURE for guesser in GUESSERS].count(True) >= 2


@pytest.mark.parametrize(("method", "label"), PLACES)
@pytest.mark.slow
def test_no_place_name_or_order_tells_which_engine_is_on_a_pad(tmp_path, monkeypatch, method, label):
    """Over a panel, of every question but the sound: who asks, as how manyth, under which names."""
    for module in (store, sessions, opened_tests):
        monkeypatch.setattr(module, "secrets", Seeded())
    listening = Listening(ListeningFolder(tmp_path), SimpleNamespace(workspace=EVERYBODY))
    test = opened_test(listening, plan_for(method, 25, training=False), 0.001)
    first = {item.id for item in listening.test(test).items if item.system == "zanzibar-1"}
    rows, truth = [], []
    for listener in range(8):
        for position, trial in enumerate(listening.begin(test).trials):
            names = [int(digit, 16) for slot in sorted(trial.slots, key=lambda slot: slot.label) for digit in slot.sound[:12]]
            order = [position, position % 2, position % 3, trial.number, listener, (position + listener) % 2]
            rows.append([*order, *(ord(slot.label[0]) for slot in trial.slots), *names])
            truth.append(next(slot.item in first for slot in trial.slots if slot.label == label))
    listening._folder.close()
    figures, truth = np.array(rows, float), np.array(truth)
    assert len(truth) == 200 and abs(truth.sum() - 100) <= 4
    known = halves(truth)
    for guesser in GUESSERS:
        n = n_right(guesser, figures, truth, known)
        assert chance_of(n, int((~known).sum())) > CHANCE / N_PLACES, f"{guesser.__name__}: {n} of {(~known).sum()} right"
