"""Claims about the ledger: written before a recording is sent, by several at once, damaged, and where a disk takes nothing."""

import errno
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engines.contract.options import resolve_options
from engines.errors import EngineFailed
from engines.remote import PACKAGE
from engines.remote.ledger import SpeakerLedger
from tests.engines.remote.opened import TEXT, expected, n_uploads, prompt_of, said, until, written


def test_two_engines_on_one_ledger_write_at_once_and_lose_nothing(tmp_path):
    ledgers = SpeakerLedger(tmp_path), SpeakerLedger(tmp_path)
    names = [f"studio-{n:032x}" for n in range(4)]

    def write(n: int) -> None:
        for name in names:
            ledgers[n % 2].ask(name, "source", "content", f"http://{n}")
            assert ledgers[n % 2].arrived(name, f"http://{n}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert written(tmp_path) == {name: {f"http://{n}": "here" for n in range(4)} for name in names}
    ledgers[0].owe(names[:1])
    assert not ledgers[1].arrived(names[0], "http://1"), "what is owed is not here by an answer that came late"
    ledgers[1].ask(names[0], "source", "content", "http://1")
    ledgers[0].gone(names[0], "http://1")
    assert written(tmp_path)[names[0]]["http://1"] == "asked", "a deletion that came late takes back no later registration"


def test_a_registration_is_written_down_before_it_is_sent(a_server, opened, tmp_path):
    """Whatever dies behind that: the next engine on the ledger knows where something may lie."""
    server = a_server()
    server.upload_gate.clear()
    engine = opened(server, ledger=str(tmp_path))
    stream = engine.stream(TEXT, prompt_of(engine), resolve_options(engine.info.options, {}))
    while not server.uploaded.is_set():
        next(stream)
    [states] = written(tmp_path).values()
    assert states == {server.address: "asked"} and not server.voices
    stream.close()
    engine.close()
    server.upload_gate.set()
    until(lambda: bool(server.voices))  # it arrived all the same
    again = opened(server, ledger=str(tmp_path))
    again.keep_only([])
    assert not server.voices and not written(tmp_path)


def test_a_ledger_that_was_written_and_no_upload_made_costs_an_upload_and_no_other_voice(a_server, opened, tmp_path):
    server = a_server()
    engine = opened(server, ledger=str(tmp_path))
    prompt = prompt_of(engine)
    said(engine, prompt)
    [name] = server.voices
    engine.close()
    server.voices.clear()
    record = tmp_path / f"{name}.json"
    record.write_text(record.read_text().replace('"here"', '"asked"'))
    (tmp_path / ".partial-1234").write_text("half a rec")
    assert np.array_equal(said(opened(server, ledger=str(tmp_path)), prompt), expected(prompt))
    assert n_uploads(server) == 2 and not list(tmp_path.glob(".partial-*"))


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"source": "a", "content": "b", "servers": ["x"]}'])
def test_what_a_damaged_record_told_of_is_nobodys_until_it_is_spoken_again(a_server, opened, tmp_path, damage):
    servers = a_server(), a_server()
    engine = opened(*servers, ledger=str(tmp_path))
    prompt = prompt_of(engine)
    engine.prepare(prompt)
    [record] = tmp_path.glob("studio-*.json")
    engine.close()
    record.write_text(damage)
    again = opened(*servers, ledger=str(tmp_path))
    said(again, prompt)
    again.keep_only({prompt.source_digest})
    assert any(server.voices for server in servers), "it is somebody's again"
    record.write_text(damage)
    again.keep_only({"somebody else's"})
    assert not any(server.voices for server in servers) and not written(tmp_path)


def test_a_disk_that_takes_nothing_is_told_without_its_paths_and_nothing_is_given_away(a_server, opened, tmp_path, monkeypatch):
    server = a_server()
    engine = opened(server, ledger=str(tmp_path))

    def full(*said: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path))

    monkeypatch.setattr(SpeakerLedger, "ask", full)
    for act in (said, lambda engine, prompt: engine.prepare(prompt)):
        with pytest.raises(EngineFailed, match="No space left on device") as failed:
            act(engine, prompt_of(engine))
        assert str(tmp_path) not in str(failed.value) and failed.value.values["sentence"] == "remote_ledger_unwritable"
    assert not server.asked or not n_uploads(server)
    (tmp_path / "file").touch()
    with pytest.raises(EngineFailed) as unopened:
        PACKAGE.open(checkpoint=server.address, **resolve_options(PACKAGE.info.load_options, {"ledger": str(tmp_path / "file")}))
    assert unopened.value.values["sentence"] == "remote_ledger_unwritable" and str(tmp_path) not in unopened.value.fact
