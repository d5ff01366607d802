"""Claims about fleets: who is asked, who is left alone, what refusals become, what is told of the health."""

import logging
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engines.contract.options import resolve_options
from engines.errors import (
    CallerMistake,
    EngineError,
    EngineFailed,
    EngineUnavailable,
    EngineUnreachable,
    LanguageUnsupported,
    OptionInvalid,
    PresetUnknown,
    TextUnspeakable,
)
from engines.remote.engine import RemoteEngine
from engines.remote.member import MOST_ANSWER_BYTES
from tests.engines.remote.fake_server import Answer
from tests.engines.remote.opened import TEXT, asked_first, expected, prompt_of, said, until

KEY = "sk-very-secret-4711"


def envelope(message: str, param: str | None = None) -> dict[str, object]:
    return {"error": {"message": message, "type": "BadRequestError", "param": param, "code": 400}}


def test_a_speaker_stays_with_a_server_and_speakers_are_spread(a_server, opened):
    servers = [a_server() for _ in range(3)]
    engine = opened(*servers)
    for pitch in (100, 120):
        for _ in range(2):
            said(engine, prompt_of(engine, pitch))
    assert sorted(len(server.speeches()) for server in servers) in ([0, 2, 2], [0, 0, 4])
    firsts = {engine._fleet.order(f"speaker {n}")[0].address for n in range(40)}
    assert len(firsts) == 3


def test_a_server_that_is_down_is_passed_over_before_the_first_sound(a_server, opened):
    first, second = a_server(), a_server()
    engine = opened(first, second)
    prompt = prompt_of(engine)
    first, second = asked_first(engine, prompt, first, second)
    first.down()
    assert np.array_equal(said(engine, prompt), expected(prompt))
    assert not first.speeches() and len(second.speeches()) == 1


def test_a_server_that_fails_three_times_in_a_row_is_left_alone_until_it_answers_again(a_server, opened):
    first, second = a_server(), a_server()
    engine = opened(first, second)
    prompt = prompt_of(engine)
    first, second = asked_first(engine, prompt, first, second)
    first.down()
    for _ in range(3):
        said(engine, prompt)
    assert asked_first(engine, prompt, first, second) == [second, first]
    assert (engine.health().state, engine.health().reason) == ("degraded", "1 of 2 servers answers.")
    first.up()
    until(lambda: engine.health().state == "well")
    assert asked_first(engine, prompt, first, second) == [first, second]
    said(engine, prompt)
    assert len(first.speeches()) == 1


def test_a_server_that_is_well_and_does_not_speak_is_left_alone_again_by_one_failure(a_server, opened):
    first, second = a_server(), a_server()
    engine = opened(first, second)
    prompt = prompt_of(engine)
    first, second = asked_first(engine, prompt, first, second)
    [member] = [member for member in engine._fleet.members if member.address == first.address]
    first.answers = [Answer(status=500, said={})] * 4
    for _ in range(3):
        said(engine, prompt)
    until(lambda: not member.is_open)
    said(engine, prompt)
    assert member.n_left_alone == 2 and not first.answers
    until(lambda: not member.is_open)
    assert np.array_equal(said(engine, prompt), expected(prompt)) and member.n_left_alone == 0


def test_where_no_server_answers_it_is_told_how_many_there_are_and_that_it_is_worth_another_try(a_server, opened):
    first, second = a_server(), a_server()
    engine = opened(first, second)
    prompt = prompt_of(engine)
    busy = Answer(status=503, said=envelope("Too much to do."), headers={"Retry-After": "7"})
    first.answers, second.answers = [busy], [busy]
    with pytest.raises(EngineUnreachable, match=r"None of the 2 servers.*: the last one is busy") as refused:
        said(engine, prompt)
    assert (refused.value.retry_after_seconds, engine.health().state) == (7, "well")
    first.down(), second.down()
    for _ in range(3):
        with pytest.raises(EngineUnreachable, match="cannot be reached"):
            said(engine, prompt)
    assert engine.health().state == "down" and "None of 2 servers answers" in engine.health().reason
    first.up()
    until(lambda: engine.health().state == "degraded")
    assert np.array_equal(said(engine, prompt), expected(prompt))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(status=400, said=envelope("Invalid language 'Klingon'. Supported: Auto, English")), LanguageUnsupported),
        (Answer(status=400, said=envelope("Input text cannot be empty")), TextUnspeakable),
        (Answer(status=400, said=envelope("Instructions too long (max 500 characters)")), OptionInvalid),
        (Answer(status=422, said=envelope("Something else is wrong.", "seed")), CallerMistake),
    ],
)
def test_what_the_caller_can_mend_is_told_in_the_servers_words_and_asked_of_no_other(a_server, opened, answer, kind):
    servers = a_server(), a_server()
    engine = opened(*servers)
    for server in servers:
        server.answers = [answer]
    with pytest.raises(CallerMistake) as refused:
        said(engine, engine.preset("ryan"))
    assert type(refused.value) is kind and refused.value.hint
    assert refused.value.fact == f"The server of {engine.info.title} says: {answer.said['error']['message']}"
    assert sum(len(server.speeches()) for server in servers) == 1


def test_a_language_that_a_server_does_not_take_is_told_by_its_name_and_in_the_servers_words(a_server, opened):
    server = a_server()
    engine = opened(server, languages="de, tlh")
    server.answers = [Answer(status=400, said=envelope("Invalid language 'Klingon'. Supported: German"))]
    with pytest.raises(LanguageUnsupported) as refused:
        said(engine, engine.preset("ryan"), language="tlh")
    assert refused.value.fact == f"{engine.info.title} does not speak tlh: Invalid language 'Klingon'. Supported: German."
    assert (refused.value.values["language"], refused.value.values["n"]) == ("tlh", 2)


def test_a_preset_that_a_server_has_no_longer_is_asked_of_the_others_and_never_replaced(a_server, opened):
    servers = a_server(), a_server()
    engine = opened(*servers)
    prompt = engine.preset("ryan")
    [first] = [server for server in servers if server.address == engine._fleet.order("preset:ryan")[0].address]
    first.presets = ()
    assert len(said(engine, prompt)) and len(first.speeches()) == 1
    for server in servers:
        server.presets = ()
    with pytest.raises(CallerMistake, match="ryan"):
        said(engine, prompt)


def test_a_speaker_moves_to_the_second_server_while_the_first_has_much_more_to_do(a_server, opened):
    first, second = a_server(), a_server()
    engine = opened(first, second)
    prompt = prompt_of(engine)
    first, second = asked_first(engine, prompt, first, second)
    first.answers = [Answer(n_bytes=0, hangs=True)] * 4
    streams = [engine.stream(TEXT, prompt, resolve_options(engine.info.options, {})) for _ in range(4)]
    for stream in streams:
        next(stream)
    until(lambda: len(first.speeches()) == 4)
    said(engine, prompt)
    assert len(second.speeches()) == 1
    for stream in streams:
        stream.close()
    until(lambda: not any(member.in_flight for member in engine._fleet.members))
    said(engine, prompt)
    assert len(first.speeches()) == 5


def test_a_connection_that_the_server_closed_meanwhile_costs_no_failure(a_server, opened):
    server = a_server()
    engine = opened(server)
    prompt = engine.preset("ryan")
    for _ in range(4):
        server.n_dropped = 1
        assert len(said(engine, prompt))
    assert engine.health().state == "well"
    server.n_dropped = 2
    with pytest.raises(EngineUnreachable, match="broke the connection"):
        said(engine, prompt)


def test_a_key_is_sent_to_the_servers_and_shown_nowhere(a_server, opened, caplog):
    caplog.set_level(logging.DEBUG)
    server = a_server(key=KEY)
    engine = opened(server, key=KEY, title="Far")
    assert len(said(engine, prompt_of(engine)))
    server.answers = [Answer(status=400, said=envelope(f"Bearer {KEY} is not nice"))]
    with pytest.raises(CallerMistake) as echoed:
        said(engine, prompt_of(engine))
    server.key = "another"
    with pytest.raises(EngineUnavailable, match="does not take this studio’s key") as refused:
        said(engine, prompt_of(engine))
    with pytest.raises(EngineUnavailable, match="does not take this studio’s key") as unopened:
        opened(server, key=KEY)
    assert "REMOTE_GPU_KEY" in refused.value.hint and "REMOTE_GPU_KEY" in unopened.value.hint
    seen = [repr(engine), repr(vars(engine)), repr(engine.info), repr(engine.health()), caplog.text, repr(prompt_of(engine).facts)]
    for error in (echoed.value, refused.value, unopened.value):
        seen += [repr(error), repr(error.__dict__), error.hint]
    assert KEY not in "".join(seen)


def test_a_request_to_a_server_is_no_line_of_a_studios_log(a_server, opened, caplog):
    caplog.set_level(logging.INFO)
    server = a_server()
    assert len(said(opened(server), prompt_of(opened(server)))) and server.speeches()
    assert not caplog.records


def test_a_redirect_is_not_followed_with_the_key(a_server, opened):
    server, elsewhere = a_server(key=KEY), a_server()
    engine = opened(server, key=KEY)
    server.answers = [Answer(status=307, said={}, headers={"Location": f"{elsewhere.address}/v1/audio/speech"})]
    with pytest.raises(EngineFailed, match="says: HTTP 307"):
        said(engine, engine.preset("ryan"))
    assert not elsewhere.asked


def test_an_engine_opens_with_the_servers_that_answer_and_what_they_share(a_server, opened):
    servers = a_server(presets=("a", "b")), a_server(presets=("b", "c")), a_server()
    servers[2].down()
    engine = opened(*servers)
    assert engine.info.presets == ("b",) and engine.info.default_preset == "b"
    assert engine.health().state == "degraded" and "2 of 3 servers answer." in engine.health().reason
    assert "different built-in voices" in engine.health().reason
    with pytest.raises(PresetUnknown):
        engine.preset("a")
    servers[2].up()
    until(lambda: "of 3" not in engine.health().reason)


def test_an_engine_does_not_open_without_a_server_that_answers_or_without_its_model(a_server, opened):
    server = a_server()
    with pytest.raises(EngineUnavailable, match="does not have the model that it was asked for: another") as absent:
        opened(server, model="another")
    assert "REMOTE_GPU_MODEL" in absent.value.hint
    server.health_status = 503
    with pytest.raises(EngineUnreachable, match="not well"):
        opened(server)
    server.down()
    with pytest.raises(EngineUnreachable, match="cannot be reached"):
        opened(server)


def test_a_server_that_is_another_model_by_now_is_asked_for_nothing_also_where_it_takes_any_name(a_server, opened):
    """The fake speaks whatever model is asked for, as servers do that know one alone."""
    for options in ({"model": "omni/tts"}, {}):
        first, second = a_server(), a_server()
        second.down()
        engine = opened(first, second, **options)
        second.models = ("other/tts",)
        second.up()
        until(lambda second=second: second.n_asked("GET", "/v1/models") >= 1)
        first.down()
        with pytest.raises(EngineUnreachable):
            said(engine, engine.preset("ryan"))
        assert not second.speeches() and engine.health().state == "degraded"
        second.models = ("omni/tts",)
        until(lambda second=second, engine=engine: said_by(engine) and bool(second.speeches()))


def said_by(engine: RemoteEngine) -> bool:
    """Whether any server speaks."""
    try:
        return len(said(engine, engine.preset("ryan"))) > 0
    except EngineError:
        return False


def test_servers_of_different_models_are_no_fleet(a_server, opened):
    with pytest.raises(EngineUnavailable, match="have no model in common") as refused:
        opened(a_server(), a_server(models=("other/tts",)))
    assert "REMOTE_GPU_MODEL" in refused.value.hint
    engine = opened(a_server(), a_server(models=("other/tts", "omni/tts")))
    assert len(said(engine, engine.preset("ryan")))


def test_a_server_that_came_back_without_a_preset_is_not_asked_for_it(a_server, opened):
    first, second = a_server(), a_server()
    second.down()
    engine = opened(first, second)
    second.presets = ("vivian",)
    second.up()
    until(lambda: engine.health().state == "well")
    first.down()
    with pytest.raises(EngineUnreachable):
        said(engine, engine.preset("ryan"))
    assert not second.speeches() and len(said(engine, engine.preset("vivian")))


def test_an_answer_without_end_is_not_read_to_its_end(a_server, opened):
    server = a_server()
    engine = opened(server)
    server.answers = [Answer(raw=b" " * (MOST_ANSWER_BYTES + 1), kind="application/json")]
    with pytest.raises(EngineUnreachable, match="without end"):
        said(engine, engine.preset("ryan"))


def test_a_refusal_with_headers_in_other_letters_is_read(a_server, opened):
    server = a_server()
    engine = opened(server)
    server.answers = [Answer(status=400, said=envelope("No."), headers={"X-Note": "\u00e9t\u00e9"})]
    with pytest.raises(CallerMistake, match="No"):
        said(engine, engine.preset("ryan"))


def test_a_plain_server_has_presets_alone(a_server, opened):
    server = a_server(presets=("alloy", "echo"))
    engine = opened(server, dialect="openai", model="omni/tts")
    said(engine, engine.preset("echo"), instructions="softly")
    assert server.speeches() == [{"input": TEXT, "voice": "echo", "model": "omni/tts", "response_format": "wav", "instructions": "softly"}]
    with pytest.raises(CallerMistake, match="built-in voices only"):
        prompt_of(engine)
    with pytest.raises(EngineUnavailable, match="names no built-in voices") as refused:
        opened(a_server(presets=()), dialect="openai", model="omni/tts")
    assert "REMOTE_GPU_PRESETS" in refused.value.hint
    assert opened(a_server(presets=()), dialect="openai", model="omni/tts", presets="x, y").info.presets == ("x", "y")


def test_many_threads_share_one_engine_while_a_server_dies(a_server, opened):
    first, second = a_server(), a_server()
    engine = opened(first, second)
    prompts = [prompt_of(engine, pitch) for pitch in (100, 120, 140, 160)]

    def speak(n: int) -> bool:
        if n == 6:
            first.down()
        try:
            return np.array_equal(said(engine, prompts[n % 4]), expected(prompts[n % 4]))
        except Exception as error:
            return "broke off" in str(error)  # it had been heard

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(speak, range(24)))
