"""Weights on this machine, or on the way to it; the hub is played by a folder."""

from dataclasses import replace

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from engines.errors import EngineUnavailable, FetchCancelled
from engines.kit.weights import weights
from engines.kit.weights.weights import HubWeights

WEIGHTS = HubWeights(repository="owner/model", patterns=("*.json", "*.safetensors"), needed=("config.json", "model.safetensors"))
NOTICED = replace(WEIGHTS, notice="Licensed under terms, © the makers.")
PIECE_BYTES = 1000


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A hub that brings config.json, then model.safetensors in five pieces, and keeps what has arrived."""

    def download(repository, *, allow_patterns, revision=None, local_files_only=False, etag_timeout=None, tqdm_class=None):
        if local_files_only:
            if not tmp_path.joinpath("config.json").exists():
                raise LocalEntryNotFoundError("not here")
            return str(tmp_path)
        bar = tqdm_class(total=5 * PIECE_BYTES, name="huggingface_hub.snapshot_download")
        tmp_path.joinpath("config.json").write_text("{}")
        part = tmp_path / "model.part"
        had = int(part.read_text()) if part.exists() else 0
        bar.update(had * PIECE_BYTES)
        for piece in range(had, 5):
            part.write_text(str(piece + 1))
            bar.update(PIECE_BYTES)
        tmp_path.joinpath("model.safetensors").write_text("")
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.setattr(weights, "is_begun", lambda repository: True)
    return tmp_path


def test_a_fetch_tells_of_every_byte_and_then_the_weights_are_here(hub):
    told = []
    assert not WEIGHTS.is_here()
    WEIGHTS.fetch(None, lambda done, total: told.append((done, total)), lambda: False)
    assert [done for done, _ in told] == [0, 1000, 2000, 3000, 4000, 5000]
    assert {total for _, total in told} == {5000}
    assert WEIGHTS.is_here()
    assert WEIGHTS.availability() is None


def test_a_fetch_that_is_cancelled_goes_on_where_it_ended(hub):
    told = []
    with pytest.raises(FetchCancelled):
        WEIGHTS.fetch(None, lambda done, total: told.append(done), lambda: len(told) >= 3)
    assert told == [0, 1000, 2000]
    assert not WEIGHTS.is_here()
    WEIGHTS.fetch(None, lambda done, total: told.append(done), lambda: False)
    assert told[3] >= 2000
    assert WEIGHTS.is_here()


def test_what_is_here_is_not_fetched_again(hub):
    WEIGHTS.fetch(None, lambda done, total: None, lambda: False)
    told = []
    WEIGHTS.fetch(None, lambda done, total: told.append(done), lambda: False)
    assert told == []


def test_a_hub_that_cannot_be_reached_is_told_with_the_command(hub, monkeypatch):
    def unreachable(repository, **options):
        raise LocalEntryNotFoundError("no") if options.get("local_files_only") else ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    with pytest.raises(EngineUnavailable, match="could not be downloaded") as refused:
        WEIGHTS.fetch(None, lambda done, total: None, lambda: False)
    assert refused.value.command == "hf download owner/model"


def test_a_folder_is_never_fetched(tmp_path):
    with pytest.raises(EngineUnavailable):
        WEIGHTS.fetch(str(tmp_path), lambda done, total: None, lambda: False)


def test_the_notice_that_a_license_wants_is_written_beside_what_was_fetched(hub):
    WEIGHTS.fetch(None, lambda done, total: None, lambda: False)
    assert not (hub / "Notice").exists(), "no licence wants one"
    for get in (lambda: NOTICED.fetch(None, lambda done, total: None, lambda: False), lambda: NOTICED.resolve("other/model")):
        for file in hub.iterdir():
            file.unlink()
        get()
        assert (hub / "Notice").read_text(encoding="utf-8") == "Licensed under terms, © the makers.\n"
    (hub / "Notice").write_text("the same, and what was changed")
    (hub / "config.json").unlink()
    NOTICED.fetch(None, lambda done, total: None, lambda: False)
    assert (hub / "Notice").read_text() == "the same, and what was changed"


@pytest.mark.posix_files
def test_no_notice_is_written_through_a_link_or_into_a_folder_of_somebodys_own(hub, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("blobs") / "0123"
    (hub / "Notice").symlink_to(elsewhere)
    NOTICED.fetch(None, lambda done, total: None, lambda: False)
    assert not elsewhere.exists()
    (hub / "Notice").unlink()
    assert NOTICED.resolve(str(hub)) == hub
    assert NOTICED.resolve() == hub, "what was here already was not fetched"
    assert not (hub / "Notice").exists()
