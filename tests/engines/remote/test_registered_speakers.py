"""Claims about recordings at servers: registered once, never lost, never left behind."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engines.clips.clip import Transcript
from engines.contract.prompt import SpeakerPrompt
from engines.errors import CallerMistake, ClipsUnsupported, EngineFailed, TranscriptRequired
from tests.engines.remote.fake_server import Answer
from tests.engines.remote.opened import asked_first, expected, n_uploads, prompt_of, said, until, written


def test_preparing_registers_at_the_two_servers_that_are_asked_first(a_server, opened):
    servers = [a_server() for _ in range(3)]
    engine = opened(*servers)
    prompt = prompt_of(engine)
    engine.prepare(prompt)
    engine.prepare(prompt)
    first, second, third = asked_first(engine, prompt, *servers)
    assert [n_uploads(server) for server in (first, second, third)] == [1, 1, 0]
    said(engine, prompt)
    assert n_uploads(first) == 1


def test_other_words_are_another_name_and_both_are_forgotten_with_the_recording(a_server, opened):
    server = a_server()
    engine = opened(server)
    prompt = prompt_of(engine)
    said(engine, prompt)
    said(engine, prompt.with_transcript(Transcript("quite other words")))
    said(engine, prompt.with_transcript(None))
    assert sorted(words for _, words in server.voices.values()) == ["", "and then the", "quite other words"]
    engine.forget(prompt.content_digest)
    assert not server.voices
    assert np.array_equal(said(engine, prompt), expected(prompt))
    assert (len(server.speeches()), n_uploads(server)) == (4, 4), "it is known to be gone, and refused nowhere"


def test_a_server_that_forgot_a_speaker_is_given_it_again_once_and_speaks(a_server, opened):
    server = a_server()
    engine = opened(server)
    prompt = prompt_of(engine)
    said(engine, prompt)
    server.voices.clear()
    assert np.array_equal(said(engine, prompt), expected(prompt))
    assert n_uploads(server) == 2
    never = Answer(status=400, said={"error": {"message": "Unknown voice 'x'. Fish Speech has no built-in speakers."}})
    server.answers = [never, never, never]
    with pytest.raises(EngineFailed, match="Unknown voice"):
        said(engine, prompt)
    assert n_uploads(server) == 3 and len(server.answers) == 1, "twice, and no more"


@pytest.mark.parametrize(
    "message",
    [
        "Invalid voice '{}'. Supported: ryan, vivian",
        "Data file for uploaded speaker '{}' not found on disk",
        "Audio file for uploaded voice '{}' is missing",
        "There is no speaker '{}'.",
        "CosyVoice3 requires 'ref_audio' (reference audio for voice cloning)",
        "Qwen3-TTS Base checkpoint does not support task_type='CustomVoice'. Use task_type='Base' or load another.",
    ],
)
def test_every_way_to_say_that_a_speaker_is_unknown_is_understood(a_server, opened, message):
    server = a_server()
    engine = opened(server)
    prompt = prompt_of(engine)
    said(engine, prompt)
    [name] = server.voices
    server.voices.clear()
    server.answers = [Answer(status=404 if "There is" in message else 400, said={"error": {"message": message.format(name.upper())}})]
    assert np.array_equal(said(engine, prompt), expected(prompt)) and n_uploads(server) == 2


@pytest.mark.parametrize("status", [404, 405, 409, 501])
def test_a_server_that_keeps_no_recordings_says_what_can_be_done_about_it(a_server, opened, status):
    server = a_server()
    server.uploads_refused = status
    engine = opened(server)
    with pytest.raises(ClipsUnsupported, match="keeps no recordings") as refused:
        said(engine, prompt_of(engine))
    assert "REMOTE_GPU_INLINE=1" in refused.value.hint and not server.speeches()
    inline = opened(server, inline=True)
    assert inline.info.leaves_traces and not engine.info.leaves_traces
    assert len(said(inline, prompt_of(inline)))
    [body] = server.speeches()
    assert body["ref_audio"].startswith("data:audio/wav;base64,UklGR") and body["ref_text"] == "and then the" and "voice" not in body


def test_a_mistake_of_the_caller_costs_no_second_upload_where_the_speaker_is_still_listed(a_server, opened):
    server = a_server()
    engine = opened(server)
    server.answers = [Answer(status=400, said={"error": {"message": "max_new_tokens cannot exceed 4096"}})]
    with pytest.raises(CallerMistake, match="cannot exceed"):
        said(engine, prompt_of(engine))
    assert n_uploads(server) == len(server.speeches()) == 1


def test_a_model_that_wants_words_says_so_to_who_gave_none(a_server, opened):
    server = a_server()
    engine = opened(server)
    refusal = {"error": {"message": "Voice cloning requires 'ref_text' (transcript of the reference audio)"}}
    server.answers = [Answer(status=400, said=refusal)]
    with pytest.raises(TranscriptRequired):
        said(engine, prompt_of(engine, words=""))
    inline = opened(server, inline=True)
    said(inline, prompt_of(inline, words=""))
    body = server.speeches()[-1]
    assert (body["task_type"], body["x_vector_only_mode"]) == ("Base", True) and "ref_text" not in body


def test_a_model_that_refuses_to_be_told_that_it_clones_is_asked_without_where_it_knows_its_names(a_server, opened):
    server = a_server()
    engine = opened(server)
    prompt = prompt_of(engine)
    higgs = "higgs_audio_v2 v1 does not support 'task_type'; the model is single-mode plain text -> speech"
    server.answers = [Answer(status=400, said={"error": {"message": higgs}})]
    for _ in range(2):
        assert np.array_equal(said(engine, prompt), expected(prompt))
    assert [body.get("task_type") for body in server.speeches()] == ["Base", None, None]
    server.voices.clear()
    assert np.array_equal(said(engine, prompt), expected(prompt)), "it refuses a name that it does not know by itself"
    for message in ("MiniMax Music 3 does not support 'task_type'", "'task_type' is not supported for Ming-flash-omni TTS"):
        other = a_server()
        other.answers = [Answer(status=400, said={"error": {"message": message}})]
        with pytest.raises(CallerMistake, match="task_type"):
            said(opened(other), prompt)
        assert len(other.speeches()) == 1, "it clones nothing, and would speak in whatever voice"


def test_a_recording_that_a_server_refuses_is_the_callers_to_mend(a_server, opened):
    server = a_server()
    server.uploads_refused = 400
    engine = opened(server)
    with pytest.raises(CallerMistake, match="not supported"):
        said(engine, prompt_of(engine))


def test_where_all_places_are_taken_the_one_of_ours_that_rested_longest_makes_room(a_server, opened, tmp_path):
    server = a_server()
    server.places = 3
    server.voices["somebody else's"] = (b"", "")
    engine = opened(server, ledger=str(tmp_path))
    oldest, other, new = (prompt_of(engine, pitch) for pitch in (100, 120, 140))
    for prompt in (other, oldest, other):
        said(engine, prompt)
    gone = list(server.voices)[-1]
    assert np.array_equal(said(engine, new), expected(new))
    assert (
        gone not in server.voices
        and "somebody else's" in server.voices
        and set(written(tmp_path)) == set(server.voices) - {"somebody else's"}
    )
    assert np.array_equal(said(engine, other), expected(other)) and np.array_equal(said(engine, oldest), expected(oldest))
    server.places = 0
    server.voices.clear()
    with pytest.raises(EngineFailed, match="limit reached"):
        said(engine, prompt_of(engine, 160))


def test_what_is_registered_outlives_the_engine_and_is_not_uploaded_again(a_server, opened, tmp_path):
    server = a_server()
    engine = opened(server, ledger=str(tmp_path))
    prompt = prompt_of(engine)
    said(engine, prompt)
    engine.close()
    again = opened(server, ledger=str(tmp_path))
    assert np.array_equal(said(again, SpeakerPrompt.from_bytes(prompt.to_bytes())), expected(prompt)) and n_uploads(server) == 1
    again.close()
    server.voices.clear()  # the server began anew meanwhile
    assert np.array_equal(said(opened(server, ledger=str(tmp_path)), prompt), expected(prompt)) and n_uploads(server) == 2
    assert len(server.speeches()) == 3, "it was seen when the engine was opened, and nothing refused"


def test_an_owed_deletion_is_delivered_when_server_and_engine_are_back(a_server, opened, tmp_path):
    first, second = a_server(), a_server()
    engine = opened(first, second, ledger=str(tmp_path))
    prompt = prompt_of(engine)
    engine.prepare(prompt)
    first.down()
    engine.forget(prompt.content_digest)
    [states] = written(tmp_path).values()
    assert states == {first.address: "owed"} and not second.voices and len(first.voices) == 1
    engine.close()
    again = opened(first, second, ledger=str(tmp_path))
    assert len(first.voices) == 1
    first.up()
    assert first.deleted.wait(20)
    until(lambda: not written(tmp_path))
    assert not first.voices and again.health()


def test_a_debt_is_paid_before_anything_else_is_said_there(a_server, opened, tmp_path):
    server = a_server()
    engine = opened(server, ledger=str(tmp_path))
    prompt = prompt_of(engine)
    said(engine, prompt)
    server.deletions_refused = 500
    engine.forget(prompt.content_digest)
    assert len(said(engine, engine.preset("ryan"))), "a server that deletes nothing still speaks"
    assert written(tmp_path)
    server.deletions_refused = 0
    said(engine, engine.preset("ryan"))
    assert not server.voices and not written(tmp_path)


def test_a_debt_to_a_server_that_is_no_longer_in_the_fleet_is_tried_where_it_was(a_server, opened, tmp_path):
    former, present = a_server(), a_server()
    engine = opened(former, ledger=str(tmp_path))
    said(engine, prompt_of(engine))
    engine.close()
    again = opened(present, ledger=str(tmp_path))
    again.keep_only([])
    assert not former.voices and not written(tmp_path)


def test_a_server_that_is_no_longer_in_the_fleet_is_given_no_key_that_it_never_had(a_server, opened, tmp_path):
    former, present = a_server(key="a-key"), a_server()
    engine = opened(former, ledger=str(tmp_path), key="a-key")
    said(engine, prompt_of(engine))
    engine.close()
    again = opened(present, ledger=str(tmp_path), key="a-new-key")
    again.keep_only([])
    assert former.n_asked("DELETE", "/v1/audio/voices/") and written(tmp_path)
    assert not any("authorization" in asked.headers for asked in former.asked if asked.method == "DELETE")
    again.close()
    opened(present, ledger=str(tmp_path), key="a-key").keep_only([])
    assert not former.voices and not written(tmp_path)
    assert not any(b"a-key" in path.read_bytes() for path in tmp_path.iterdir())


def test_only_the_kept_sources_stay_also_of_what_another_engine_on_the_ledger_registered(a_server, opened, tmp_path):
    server = a_server()
    one, other = opened(server, ledger=str(tmp_path)), opened(server, ledger=str(tmp_path))
    kept, gone = prompt_of(one, 100), prompt_of(other, 120)
    said(one, kept)
    said(other, gone)
    one.keep_only({kept.source_digest})
    [name] = server.voices
    assert set(written(tmp_path)) == {name} and np.array_equal(said(one, kept), expected(kept))
    assert np.array_equal(said(other, gone), expected(gone)), "the other learns of it from the server, and says it in no other voice"
    other.forget(gone.content_digest)
    assert set(server.voices) == {name}


def test_one_upload_serves_all_who_ask_at_once(a_server, opened):
    server = a_server()
    server.upload_gate.clear()
    engine = opened(server)
    prompt = prompt_of(engine)
    with ThreadPoolExecutor(6) as pool:
        heard = [pool.submit(said, engine, prompt) for _ in range(6)]
        assert server.uploaded.wait(20)
        server.upload_gate.set()
        assert all(np.array_equal(one.result(), expected(prompt)) for one in heard)
    assert n_uploads(server) == 1


def test_who_is_forgotten_while_being_registered_is_taken_back_behind_the_speech(a_server, opened, tmp_path):
    server = a_server()
    server.upload_gate.clear()
    engine = opened(server, ledger=str(tmp_path))
    prompt = prompt_of(engine)
    with ThreadPoolExecutor(2) as pool:
        heard = pool.submit(said, engine, prompt)
        assert server.uploaded.wait(20)
        forgotten = pool.submit(engine.forget, prompt.content_digest)
        until(lambda: any("owed" in states.values() for states in written(tmp_path).values()))
        server.upload_gate.set()
        heard.exception(), forgotten.result()
    until(lambda: not server.voices and not written(tmp_path))
    assert server.n_asked("DELETE", "/v1/audio/voices/")


def test_who_is_forgotten_before_a_second_server_is_asked_stays_at_neither(a_server, opened, tmp_path):
    first, second = a_server(), a_server()
    engine = opened(first, second, ledger=str(tmp_path))
    prompt = prompt_of(engine)
    first, second = asked_first(engine, prompt, first, second)
    first.answers = [Answer(n_bytes=0, hangs=True)]
    with ThreadPoolExecutor(1) as pool:
        heard = pool.submit(said, engine, prompt)
        assert first.reached.wait(20)
        engine.forget(prompt.content_digest)
        assert not first.voices
        first.down()
        assert np.array_equal(heard.result(), expected(prompt))
    assert second.deleted.wait(20)
    until(lambda: not written(tmp_path))
    assert not second.voices
