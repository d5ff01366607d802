"""Weights: bytes as they come, cancel, resume, failure, and the engine that opens afterwards."""

import errno
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from engines import catalog
from engines.errors import EngineUnavailable, FetchCancelled
from studio.errors import DiskFull, EngineUnknown, NothingToFetch
from studio.running.offer.weights import Weights
from studio.service import Studio
from studio.settings import EngineSettings, Settings
from tests.api.door import eventually
from tests.stand_ins import heavy_package
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.studio.running.gate import Gate

INFOS = {"fake": INFO, "heavy": heavy_package.INFO}


@pytest.fixture
def pieces(monkeypatch) -> Gate:
    """Lets one piece through at a time."""
    gate = Gate()
    monkeypatch.setattr(heavy_package, "before_piece", gate)
    yield gate
    gate.release()


@pytest.fixture
def fetch(tmp_path, monkeypatch):
    """fetch(checkpoint) -> Weights over the catalog with the heavy package in it."""
    monkeypatch.setitem(catalog._PACKAGES, "heavy", "tests.stand_ins.heavy_package")
    made = []

    def make(checkpoint: str, on_fetched=lambda engine: None) -> Weights:
        source = catalog.weights_source("heavy", checkpoint=checkpoint)
        made.append(Weights(INFOS, {"heavy": source}))
        made[-1].when_fetched(on_fetched)
        return made[-1]

    yield make
    for weights in made:
        weights.close()


def state(weights: Weights) -> str:
    return weights.status("heavy").state


def test_the_bytes_strictly_increase_until_the_weights_are_here(fetch, pieces, tmp_path):
    told = []
    weights = fetch(heavy_package.make_remote(tmp_path / "hub"), told.append)
    assert (state(weights), weights.status("heavy").all_bytes) == ("absent", 10_000)
    weights.begin("heavy")
    seen = []
    for _ in range(10):
        assert pieces.arrived.acquire(timeout=60)
        seen.append(weights.status("heavy").done_bytes)
        pieces.go.release()
    assert seen == [1_000 * piece for piece in range(10)]
    assert eventually(lambda: state(weights) == "ready")
    assert eventually(lambda: told == ["heavy"])
    assert (tmp_path / "hub" / "weights.bin").read_bytes() == (tmp_path / "hub" / "remote.bin").read_bytes()


def test_a_cancelled_download_keeps_its_bytes_and_resumes_there(fetch, pieces, tmp_path):
    weights = fetch(heavy_package.make_remote(tmp_path / "hub"))
    weights.begin("heavy")
    for _ in range(3):
        pieces.pass_one()
    assert pieces.arrived.acquire(timeout=60)
    weights.cancel("heavy")
    pieces.go.release()
    assert eventually(lambda: state(weights) == "cancelled")
    assert weights.status("heavy").done_bytes == 3_000
    weights.begin("heavy")
    assert pieces.arrived.acquire(timeout=60)
    assert (state(weights), weights.status("heavy").done_bytes) == ("fetching", 3_000)
    pieces.release()
    assert eventually(lambda: state(weights) == "ready")


@pytest.mark.parametrize("wraps", [False, True])
def test_a_downloader_that_never_asks_is_stopped_at_its_next_progress_however_it_words_that(wraps):
    gate, kept = Gate(), []

    def copy(progress) -> None:
        for done in range(1_000):
            gate(done)
            progress(done, 1_000)
            kept.append(done)

    def fetch(progress, cancelled) -> None:
        try:
            copy(progress)
        except FetchCancelled as error:
            if not wraps:
                raise
            raise EngineUnavailable("The weights could not be downloaded.") from error

    weights = Weights(INFOS, {"heavy": catalog.WeightsSource(lambda: False, fetch)})
    weights.begin("heavy")
    gate.pass_one()
    assert gate.arrived.acquire(timeout=60)
    weights.cancel("heavy")
    gate.go.release()
    assert eventually(lambda: state(weights) == "cancelled")
    assert kept == [0]


def test_a_failure_says_what_and_a_later_try_begins_where_the_source_says(fetch, tmp_path, monkeypatch):
    folder, gate = tmp_path / "hub", Gate()
    weights = fetch(heavy_package.make_remote(folder, digest="0" * 64))
    weights.begin("heavy")
    assert eventually(lambda: state(weights) == "failed")
    status = weights.status("heavy")
    assert "checksum" in status.reason and status.hint.endswith("run: make weights")
    assert status.done_bytes == 10_000
    heavy_package.make_remote(folder)
    monkeypatch.setattr(heavy_package, "before_piece", gate)
    weights.begin("heavy")
    assert gate.arrived.acquire(timeout=60)
    assert weights.status("heavy").done_bytes == 0, "what was damaged was thrown away"
    gate.release()
    assert eventually(lambda: state(weights) == "ready")


def test_a_defect_of_the_downloader_is_a_failure_that_names_no_path(fetch, tmp_path, caplog):
    def broken(progress, cancelled) -> None:
        raise OSError("/a/secret/path")

    weights = Weights(INFOS, {"heavy": catalog.WeightsSource(lambda: False, broken)})
    weights.begin("heavy")
    assert eventually(lambda: state(weights) == "failed")
    assert "secret" not in weights.status("heavy").reason + weights.status("heavy").hint
    assert "could not be fetched" in caplog.text


@pytest.mark.parametrize("wrapped", [False, True], ids=["as it is", "as a downloader words it"])
def test_a_full_disk_is_told_as_one_and_names_the_hubs_folder(wrapped):
    def fetch(progress, cancelled) -> None:
        full = OSError(errno.ENOSPC, "No space left on device", "/a/secret/path")
        if wrapped:
            raise EngineUnavailable(f"The weights could not be downloaded: {full}", "make weights") from full
        raise full

    weights = Weights(INFOS, {"heavy": catalog.WeightsSource(lambda: False, fetch)})
    with pytest.raises(DiskFull) as caught:
        weights.bring("heavy")
    assert caught.value.values == {"setting": "HF_HOME"}
    told = weights.status("heavy")
    assert (told.state, told.code, dict(told.values)) == ("failed", "disk_full", {"setting": "HF_HOME"})
    assert "secret" not in told.reason + told.hint


def test_one_engine_is_fetched_once_at_a_time(fetch, pieces, tmp_path):
    weights = fetch(heavy_package.make_remote(tmp_path / "hub"))
    threads = [threading.Thread(target=weights.begin, args=("heavy",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pieces.arrived.acquire(timeout=60)
    assert sum(thread.name == "weights-heavy" for thread in threading.enumerate()) == 1


def test_an_engine_without_weights_to_fetch_says_so(fetch, tmp_path):
    weights = fetch(heavy_package.make_remote(tmp_path / "hub"))
    assert weights.status("fake").state == "included"
    with pytest.raises(NothingToFetch):
        weights.begin("fake")
    for verb in (weights.status, weights.begin, weights.cancel):
        with pytest.raises(EngineUnknown):
            verb("nothing")


def test_weights_that_come_in_another_way_are_seen(fetch, tmp_path):
    weights = fetch(heavy_package.make_remote(tmp_path / "hub"))
    assert state(weights) == "absent"
    (tmp_path / "hub" / "weights.bin").write_bytes(b"by hand")
    assert state(weights) == "ready"


def test_an_engine_that_was_unavailable_opens_once_its_weights_have_come(tmp_path):
    checkpoint = heavy_package.make_remote(tmp_path / "hub")
    engines = {"fake": FakeEngine, "heavy": lambda: heavy_package.open(checkpoint)}
    settings = Settings(speakers_dir=tmp_path / "speakers", default_engine="fake")
    studio = Studio(settings, infos=INFOS, open_engine=lambda name: engines[name](), weights={"heavy": heavy_package.source(checkpoint)})
    try:
        with pytest.raises(EngineUnavailable):
            studio.load("heavy")
        studio.weights.begin("heavy")
        assert eventually(lambda: studio.engines()[1].state == "idle")
        assert studio.load("heavy").state == "ready"
    finally:
        studio.close()


def test_whoever_needs_the_weights_now_waits_for_them_and_is_told_how_it_ended(fetch, pieces, tmp_path):
    weights = fetch(heavy_package.make_remote(tmp_path / "hub"))
    weights.bring("fake")
    with ThreadPoolExecutor(1) as pool:
        cancelled = pool.submit(weights.bring, "heavy")
        assert pieces.arrived.acquire(timeout=60)
        weights.cancel("heavy")
        pieces.go.release()
        with pytest.raises(FetchCancelled):
            cancelled.result(60)
        pieces.release()
        pool.submit(weights.bring, "heavy").result(60)
    assert state(weights) == "ready"


def test_whoever_needs_weights_that_cannot_be_had_is_told_why(fetch, tmp_path):
    with pytest.raises(EngineUnavailable, match="The hub does not answer"):
        fetch(str(tmp_path / "nowhere")).bring("heavy")


def test_an_engine_that_is_opened_has_its_weights_fetched_as_everybody_can_see_and_stop(fetch, pieces, tmp_path):
    checkpoint = heavy_package.make_remote(tmp_path / "hub")
    settings = Settings(
        speakers_dir=tmp_path / "speakers",
        engines=("heavy",),
        default_engine="heavy",
        engine_settings={"heavy": EngineSettings(checkpoint=checkpoint)},
    )
    fetch(checkpoint)  # puts the package into the catalog
    studio = Studio(settings)
    try:
        studio.begin_loading()
        pieces.pass_one()
        assert pieces.arrived.acquire(timeout=60)
        assert (studio.engines()[0].state, studio.weights.status("heavy").done_bytes) == ("loading", 1_000)
        studio.weights.cancel("heavy")
        pieces.go.release()
        assert eventually(lambda: studio.engines()[0].state == "failed")
        assert studio.engines()[0].reason == "You stopped the download."
        pieces.release()
        assert studio.load().state == "ready"
    finally:
        pieces.release()
        studio.close()


def test_the_catalog_knows_no_source_for_an_engine_whose_weights_come_with_it():
    assert catalog.weights_source(next(iter(catalog.engine_ids()))) is None
