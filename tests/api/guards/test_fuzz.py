"""Requests made from the API's own document (schemathesis), and what such requests have found: no answer but in our words.

One run is like the next. For a longer one with other requests each time, set N_EXAMPLES and DERANDOMIZE.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.python import asgi
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from studio.audio.decode import decode_clip
from studio.consents.consent_file import WordsCheck
from tests.api.door import CLONE_ONLY, data_url, error_of, wav
from tests.stand_ins.fake_engine import EDITS, FORMS, INFO, FakeEngine
from tests.stand_ins.whisper_stand_in import install

N_EXAMPLES = 40  # per operation and mode
FEW_EXAMPLES = 6  # where a plan takes long to make up, and a test in its right state is walked through by tests/listening/store/test_api.py
OF_A_TEST, OF_A_LEXICON = "/v1/studio/tests", "/v1/studio/lexicon"
# want what was spoken before, or heard, or several releases, or a script, or what was evaluated
OF_TAKES = ("/v1/studio/pairs", "/v1/studio/takes/", "/v1/studio/engines/", "/v1/studio/scripts", "/v1/studio/evaluations")
CHANGING_WORDS = "/v1/studio/edit"  # wants places in words
VOICES, OPENAI_VOICES = "/v1/audio/voices", "/openai/v1/audio/voices"
DERANDOMIZE = True
# By contract types are lenient (a number in a string is a number), and there are rules beyond them: voices that exist, clips of a second.
OTHER_RULES = [negative_data_rejection, positive_data_acceptance]
OURS = tuple(str(Path(__file__).parents[3] / folder) for folder in ("studio", "engines"))
HUGE = "1" + "0" * 400  # JSON knows no largest number
DEEP = "[" * 100_000

TONE = wav(1.0, rate=8_000)
ASKED = "once"  # the id of a speech
RECORDING_A_CONSENT = "/audio/voice_consents"  # wants the words of one
# Values that make sense, put in place of made-up ones three times out of four: those reach the rooms behind the first check.
SENSIBLE = {
    "voice": ["alice", "ALICE ", "emb", "tone", "default", {"id": "alice"}, None],
    "speaker": ["alice", None],
    "name": ["alice", "bob", "emb", "nobody"],
    "model": ["fake", "clone", None],
    "request_id": [ASKED],
    "language": ["German", "en", "Auto", None],
    "sample_rate": [8_000, 48_000, None],
    "speed": [0.25, 1.0, 4.0],
    "max_new_tokens": [1, 4096, None],
    "extra_params": [{}, {"speed": 2.0}, None],
    "file": [TONE],
    "speaker_embedding": [[0.5] * 8, [[0.5] * 8], None],
    "recording": [TONE],
    "consent": ["mine"],
    "ref_audio": [data_url(TONE), [data_url(TONE)], None],
    "ref_audio_2": [None],
    "ambient_sound": [None],
    "duration_seconds": [None],
    "x_vector_only_mode": [False, None],
    "task_type": ["Base", None],
    "word_timestamps": [False],
    "stream_format": ["sse", "audio", None],
    "response_format": ["wav", "pcm"],
    "speaker_prompt": [safetensors.numpy.save({"embeddings": np.ones((2, 6), np.float32)})],
    "audio_sample": [[TONE], [TONE, wav(1.0, format="FLAC", rate=8_000)]],
}


SOURCES = ("audio_sample", "speaker_prompt", "speaker_embedding")  # of a voice: one of them


class Steady(FakeEngine):
    """Speaks at once, whatever the embedding."""

    def __init__(self, info=INFO):
        super().__init__(info, seconds_per_character=0.001)

    def embed(self, embedding: np.ndarray):
        return super().embed(np.clip(embedding, -1, 1))


class Fuzzed:
    """A door with two engines and two voices, which come back when a request has deleted them."""

    def __init__(self, door, hide_modules: Callable[[], None]):
        self.door, self.hide_modules = door, hide_modules
        self.schema = schemathesis.openapi.from_asgi("/openapi.json", door.app)
        self.schema.config.analysis.constants.enabled = False  # words of our own source: with each edit, other requests
        self.statuses: set[tuple[str, int]] = set()
        self._client = asgi.get_client(door.app)
        self._client.trust_env = False  # or each request would read the environment for proxies
        door.studio.load()
        self._recordings = self._voices()

    def ask_all(self, mode: GenerationMode) -> None:
        for result in self.schema.get_all_operations():
            operation = result.ok()
            if mode is GenerationMode.POSITIVE or operation.body or operation.query:
                self._ask_many(operation, mode)

    def _ask_many(self, operation, mode: GenerationMode) -> None:
        @settings(
            max_examples=FEW_EXAMPLES if operation.path.startswith((OF_A_TEST, OF_A_LEXICON, *OF_TAKES)) else N_EXAMPLES,
            deadline=None,
            database=None,
            derandomize=DERANDOMIZE,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(case=operation.as_strategy(generation_mode=mode), data=st.data())
        def ask(case, data) -> None:
            self._restore()
            if "request_id" in (case.path_parameters or {}):  # the last few hundred are known
                self.door.post("/v1/audio/speech", json={"input": "hi"}, headers={"X-Request-Id": ASKED})
            if operation.path == VOICES and isinstance(case.body, dict) and not any(name in case.body for name in SOURCES):
                case.body["audio_sample"] = [TONE]  # most of what is made up has none
            sensible = SENSIBLE | self._of_consents()
            for fields in (case.path_parameters, case.query, *_objects_of(case.body)):
                _make_sensible(fields, data, sensible)
            if operation.path == OPENAI_VOICES and isinstance(case.body, dict):
                case.body["audio_sample"] = TONE  # one file, where the other door takes several
            response = case.call(session=self._client)
            self._client.cookies.clear()
            self.statuses.add((operation.label, response.status_code))
            self.hide_modules()
            case.validate_response(response, excluded_checks=OTHER_RULES)

        self.hide_modules()
        ask()

    def _voices(self):
        self.door.upload("alice", TONE, ref_text="hello")
        self.door.post("/v1/audio/voices", files={"speaker_embedding": (None, str([0.5] * 8))}, data={"name": "emb", "consent": "c"})
        return [speaker.key for speaker in self.door.studio.speakers()]

    def _of_consents(self) -> dict[str, list[str]]:
        """Sensible values of what names a consent: there is always one."""
        consents = self.door.studio.consents
        ids = [consent.id for consent in consents.all()] or [consents.add("me", "en", decode_clip(TONE), WordsCheck(False)).id]
        return {"consent_id": ids[:1], "consent": [*SENSIBLE["consent"], *ids[:1]]}

    def _restore(self) -> None:
        keys = {speaker.key for speaker in self.door.studio.store.speakers()}
        if not keys.issuperset(self._recordings):
            self._voices()


def _objects_of(body: object) -> list[dict]:
    """The body and the items of a batch, where they are objects. A form has one source of the voice: a file."""
    if not isinstance(body, dict):
        return []
    named = [name for name in SOURCES if name in body]
    for name in named[1:]:
        body.pop(name)
    items = body.get("items")
    return [body, *(item for item in (items if isinstance(items, list) else []) if isinstance(item, dict))]


def _make_sensible(fields: dict | None, data, values: dict) -> None:
    for name in list(fields or ()):
        if name in values and data.draw(st.integers(0, 3)):
            fields[name] = data.draw(st.sampled_from(values[name]))


@pytest.fixture
def hide_modules(monkeypatch) -> Callable[[], None]:
    """Hypothesis draws from the words of modules that are nobody's package, which it reads in their files: with each edit, and with each
    module that a request or another test imports, other requests. So ours say of no file that they come from it.
    """
    seen: set[str] = set()

    def hide() -> None:
        if len(sys.modules) == len(seen):
            return
        for name in sys.modules.keys() - seen:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(OURS):
                monkeypatch.setattr(sys.modules[name], "__file__", None)
        seen.update(sys.modules)

    return hide


@pytest.fixture
def fuzzed(open_door, hide_modules, monkeypatch, tmp_path) -> Fuzzed:
    whisper = install(monkeypatch, tmp_path / "weights")
    whisper.sentences = ()  # of tones
    return Fuzzed(
        open_door(
            Steady(replace(INFO, converts=True, prompt_forms=FORMS, edits=EDITS)),
            Steady(CLONE_ONLY),
            most_waiting=10_000,
            transcriber=whisper.checkpoint,
        ),
        hide_modules,
    )


@pytest.mark.slow
def test_requests_that_fit_the_document_are_answered_as_it_says(fuzzed):
    fuzzed.ask_all(GenerationMode.POSITIVE)
    spoken = {label for label, status in fuzzed.statuses if status == 200}
    operations = [result.ok() for result in fuzzed.schema.get_all_operations()]
    wants_more = {
        operation.label for operation in operations if operation.path.startswith((f"{OF_A_TEST}/", OF_A_LEXICON, *OF_TAKES, CHANGING_WORDS))
    }  # entries, files
    wants_more |= {f"POST {base}{RECORDING_A_CONSENT}" for base in ("/v1", "/openai/v1")}
    assert spoken - wants_more == {operation.label for operation in operations} - wants_more


@pytest.mark.slow
def test_requests_that_do_not_fit_the_document_are_refused_as_it_says(fuzzed):
    fuzzed.ask_all(GenerationMode.NEGATIVE)
    assert {status for _, status in fuzzed.statuses} >= {200, 400, 404}  # lenient ones are taken


# --- what was found, each once a 500 or a wrong voice


def spoken_json(door, fields: str, path: str = "/v1/audio/speech"):
    """A request whose JSON no library would write."""
    body = f'{{"input": "hi", {fields}}}' if path.endswith("speech") else f'{{"items": [{{"input": "hi", {fields}}}]}}'
    return door.post(path, content=body, headers={"content-type": "application/json"})


@pytest.mark.parametrize("number", ["1e39", "-1e39", "1e300", "1e999", "NaN", HUGE, "-" + HUGE])
def test_an_embedding_beyond_what_engines_compute_in_is_refused(door, number):
    embedding = f'"speaker_embedding": [{number}, 0, 0, 0, 0, 0, 0, 0]'
    for path in ("/v1/audio/speech", "/v1/audio/speech/batch"):
        response = spoken_json(door, embedding, path)
        assert response.status_code == 400, response.text
        assert "'speaker_embedding' values must be finite (no NaN or Inf)" in error_of(response)["message"]


@pytest.mark.parametrize("option", ["speed", "seed"])
@pytest.mark.parametrize("number", [HUGE, "-" + HUGE, "1e999", "NaN"])
def test_an_option_beyond_every_number_is_refused(door, option, number):
    response = spoken_json(door, f'"extra_params": {{"{option}": {number}}}')
    error = error_of(response)
    assert (response.status_code, error["param"], error["reason_code"]) == (400, option, "option_invalid")


def test_half_a_character_in_the_name_of_an_option_is_escaped(door):
    response = spoken_json(door, '"extra_params": {"\\ud800": 1}')
    assert (response.status_code, error_of(response)["param"]) == (400, "\\ud800")


def test_a_voice_object_with_an_empty_id_is_not_the_default_voice(door):
    for voice in ({"id": None}, {"x": 1}, {}):
        assert "voice dict must contain 'id'" in error_of(door.speak("hi", voice=voice))["message"]


def test_lists_in_lists_in_lists_are_refused(door):
    """In the same words at any depth, on every Python."""
    deep = ['{"speed": ' + "[" * n + "]" * n + "}" for n in (65, 400, 900, 2_000, 20_000)]
    for path in ("/v1/audio/speech", "/v1/audio/speech/batch"):
        refused = [spoken_json(door, f'"extra_params": {fields}', path) for fields in deep]
        assert {(answer.status_code, error_of(answer)["message"]) for answer in refused} == {(400, error_of(refused[0])["message"])}
    plans = [door.post(OF_A_TEST, content=plan, headers={"content-type": "application/json"}) for plan in deep]
    assert {(answer.status_code, error_of(answer)["message"]) for answer in plans} == {(400, error_of(plans[0])["message"])}
    response = door.post("/v1/audio/voices", files={"speaker_embedding": (None, DEEP)}, data={"name": "a", "consent": "c"})
    assert (response.status_code, error_of(response)["param"]) == (400, "speaker_embedding")
    for path in ("/v1/audio/speech", "/v1/audio/speech/batch"):
        assert spoken_json(door, f'"extra_params": {DEEP}', path).status_code == 400


@pytest.mark.slow
def test_the_document_describes_single_events_of_a_stream(door):
    answer = door.get("/openapi.json").json()["paths"]["/v1/audio/speech"]["post"]["responses"]["200"]
    event = answer["content"]["text/event-stream"]["schema"]
    assert event["required"] == ["event", "data"]
    events = {line.partition(": ")[2] for line in door.speak("hi", stream=True).text.splitlines() if line.startswith("event")}
    assert events <= set(event["properties"]["event"]["enum"])
