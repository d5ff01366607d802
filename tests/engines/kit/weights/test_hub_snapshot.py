"""A snapshot as the hub's own library brings it, over HTTP from a hub on this machine: bytes, stopping, refusal, the token."""

import huggingface_hub.constants
import pytest

from engines.errors import EngineUnavailable, FetchCancelled
from engines.kit.weights.weights import HubSnapshot, fetch_in_turn, refused_status, stoppable
from tests.engines.kit.weights.local_hub import COMMIT, local_hub

PIECE_BYTES = 100_000  # that a download is told in, here
FILES = {"a/model.bin": bytes(5 * PIECE_BYTES), "b.bin": b"b" * PIECE_BYTES, "unwanted.bin": b"c" * PIECE_BYTES}
MODEL, OTHER = (HubSnapshot("owner/model", (name,), f"get {name}", COMMIT) for name in ("a/model.bin", "b.bin"))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "DOWNLOAD_CHUNK_SIZE", PIECE_BYTES)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", False)


def test_the_library_tells_of_every_piece_and_asks_with_the_token_of_this_machine(tmp_path, monkeypatch):
    told = []
    with local_hub(tmp_path, monkeypatch, FILES) as tokens:
        fetch_in_turn([(MODEL, 500_000), (OTHER, 70_000)], lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == [100_000, 200_000, 300_000, 400_000, 500_000, 600_000]
    assert {total for _, total in told[:5]} == {570_000} and told[-1] == (600_000, 600_000)
    assert (MODEL.folder() / "a/model.bin").stat().st_size == 500_000 and (OTHER.folder() / "b.bin").is_file()
    assert not (MODEL.folder() / "unwanted.bin").exists()
    assert set(tokens) == {"Bearer hf_ours"}


def test_whoever_thinks_better_of_it_stops_the_library_at_the_next_piece(tmp_path, monkeypatch):
    told = []
    stopped_at_two = stoppable(lambda done, total: told.append(done), lambda: len(told) >= 2)
    with local_hub(tmp_path, monkeypatch, FILES), pytest.raises(FetchCancelled):
        fetch_in_turn([(OTHER, 1), (MODEL, 1)], stopped_at_two)
    assert told == [100_000, 200_000]
    assert OTHER.folder() == MODEL.begun() and not (MODEL.begun() / "a/model.bin").exists(), "what arrived whole is kept"
    assert huggingface_hub.constants.HF_HUB_DISABLE_XET, "a transport that hears nobody"


@pytest.mark.parametrize("status", [401, 403])
def test_a_gate_is_seen_through_what_the_library_raises(tmp_path, monkeypatch, status):
    with local_hub(tmp_path, monkeypatch, FILES, gate=status), pytest.raises(EngineUnavailable, match="could not be downloaded") as refused:
        MODEL.fetch(None)
    assert refused_status(refused.value) == status
    assert refused.value.command == "get a/model.bin" and refused_status(EngineUnavailable("Something else.")) is None


def test_names_that_the_repository_lacks_are_no_failure(tmp_path, monkeypatch):
    with local_hub(tmp_path, monkeypatch, FILES):
        nothing = HubSnapshot("owner/model", ("voices/nobody.bin",), "", COMMIT)
        assert nothing.fetch(None) == nothing.folder()
        more = HubSnapshot("owner/model", ("voices/nobody.bin", "b.bin"), "", COMMIT)
        with pytest.raises(EngineUnavailable, match="not on this machine yet: owner/model"):  # since the library knows what the commit has
            more.folder()
        assert more.begun() == nothing.folder()
