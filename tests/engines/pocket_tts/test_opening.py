"""Claims about opening the engine: what is told of a model before it is opened, by settings and on the page; where it computes."""

import subprocess
import sys

import pytest
import torch

from engines import catalog
from engines.errors import EngineUnavailable, OptionInvalid
from engines.pocket_tts import PACKAGE, opening
from engines.pocket_tts.opening import suiting_dtype, where
from engines.pocket_tts.options import SIZES
from engines.pocket_tts.released import GATED, OPEN, released_model
from studio.errors import LicenseNotAccepted
from studio.running.offer.offer import offered, sources, weights_lacking
from studio.service import Studio
from studio.settings import SettingsInvalid, read_settings
from studio.ui.engines.engine_cards import act_on_engine, cards_value
from studio.words.sentences import LANGUAGES, sentences_in
from tests.api.door import eventually
from tests.engines.pocket_tts.fake_hub import PIECE_BYTES, FakeHub, refusal
from tests.engines.pocket_tts.tiny_checkpoint import write_tiny_checkpoint

ID = PACKAGE.info.id
SMALL = "english_2m_2026-10"


@pytest.fixture
def hub(tmp_path, monkeypatch) -> FakeHub:
    return FakeHub(tmp_path / "hub", monkeypatch)


@pytest.fixture
def told(tmp_path):
    """told(POCKET_TTS_VARIANT=...) -> the settings of such an environment, with this engine alone."""
    own = {"SPEAKER_SAMPLES_DIR": str(tmp_path / "speakers"), "STUDIO_ENGINES": ID, "STUDIO_DEFAULT_ENGINE": ID}
    return lambda **set_here: read_settings(own | set_here, engines={ID: PACKAGE.info.load_options})


@pytest.fixture
def studio(told):
    """studio(**environment) -> a studio that offers this engine."""
    opened = []

    def start(**set_here) -> Studio:
        opened.append(Studio(told(**set_here)))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


# --- what is told before it is opened


@pytest.mark.parametrize(("look", "spared"), [("engine_info", {"torch", "huggingface_hub"}), ("engine_availability", {"torch"})])
def test_the_catalog_looks_at_it_without_loading_torch(look, spared):
    code = f"import sys; from engines import catalog; catalog.{look}({ID!r}); print({spared!r} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def test_a_variant_speaks_its_language_alone_and_has_its_own_size_and_command(hub):
    english, french = (catalog.engine_info(ID, options={"variant": name}) for name in ("english", "french_24l"))
    assert (english.languages, french.languages) == (("en",), ("fr",))
    assert french.preset_languages == dict.fromkeys(french.presets, "fr")
    assert set(PACKAGE.info.languages) == {released_model(name).language for name in ("english", *SIZES.values())} | {
        released_model(name).language for name in ("french", "german", "italian", "portuguese", "spanish", "dutch")
    }
    assert english == catalog.engine_info(ID) and english.weights_command == PACKAGE.info.weights_command
    assert french.weights_bytes > 2 * english.weights_bytes > 2 * released_model("english").n_bytes
    assert "languages/french_24l/model.safetensors" in french.weights_command and french.hub_id == GATED
    with pytest.raises(OptionInvalid, match="variant"):
        catalog.engine_info(ID, options={"variant": "klingon"})


def test_the_open_weights_say_that_they_clone_no_voice(hub):
    with_encoder, without = catalog.engine_info(ID, GATED), catalog.engine_info(ID, OPEN)
    assert with_encoder.clones_clips and not without.clones_clips
    assert "clone no voice" in without.summary and without.hub_id == OPEN and without.presets == with_encoder.presets
    assert without.restriction == with_encoder.restriction != ""


def test_the_environments_variant_is_that_of_catalog_weights_and_page(hub, told, studio):
    hub.release()
    hub.release(SMALL)
    settings = told(POCKET_TTS_VARIANT=SMALL)
    info = offered(settings, lambda: False)[ID]
    assert f"languages/{SMALL}/model.safetensors" in info.weights_command and info.weights_command == weights_lacking(settings, ID).command
    sources(settings, None)[ID].fetch(lambda done, total: None, lambda: False)
    assert {name for _, _, names in hub.asked for name in names if name.endswith("model.safetensors")} == {
        f"languages/{SMALL}/model.safetensors"
    }
    assert weights_lacking(settings, ID) is None and sources(settings, None)[ID].is_here()
    assert weights_lacking(told(), ID) is not None and not sources(told(), None)[ID].is_here()
    states = {variant: studio(POCKET_TTS_VARIANT=variant).weights.status(ID) for variant in ("english", SMALL)}
    assert (states["english"].state, states[SMALL].state) == ("absent", "ready")
    assert states["english"].all_bytes == PACKAGE.info.weights_bytes
    with pytest.raises(SettingsInvalid, match="POCKET_TTS_VARIANT"):
        told(POCKET_TTS_VARIANT="klingon")


# --- the page's button


def test_the_button_gets_the_weights_once_the_terms_are_accepted_and_tells_of_the_gate(hub, studio):
    hub.release()
    hub.refuses[GATED] = refusal(401)
    here = studio()
    card = cards_value(here)["cards"][0]
    assert (card["verb"], card["is_accepted"], card["weights"]["state"]) == (["fetch", "get"], False, "absent")
    assert "huggingface.co/kyutai/pocket-tts" in card["reason"] and card["command"] == PACKAGE.info.weights_command
    with pytest.raises(LicenseNotAccepted, match="consent"):
        here.weights.begin(ID)
    act_on_engine(here, {"engine": ID, "verb": "fetch", "accepted": card["restriction"]})
    assert eventually(lambda: here.weights.status(ID).state == "failed")
    refused = here.weights.status(ID)
    assert (refused.code, refused.values["sentence"]) == ("engine_unavailable", "weights_gated_no_token")
    for language in LANGUAGES:
        fact, hint = sentences_in(language).problem(refused.code, refused.values, ("", ""))
        assert GATED in fact and all(way in hint for way in ("hf auth login", "HF_TOKEN", f"huggingface.co/{GATED}", OPEN))
    del hub.refuses[GATED]
    act_on_engine(here, {"engine": ID, "verb": "fetch"})
    assert eventually(lambda: here.weights.status(ID).state == "ready")
    assert here.weights.status(ID).all_bytes == 20 * PIECE_BYTES


def test_a_token_whose_owner_has_not_accepted_is_told_otherwise_than_none(hub, studio):
    hub.refuses[GATED] = refusal(403)
    here = studio(STUDIO_ACCEPT_LICENCES=ID)
    here.weights.begin(ID)
    assert eventually(lambda: here.weights.status(ID).state == "failed")
    refused = here.weights.status(ID)
    for language in LANGUAGES:
        said = sentences_in(language).problem(refused.code, refused.values, ("", ""))
        assert GATED in said[0] and OPEN in said[1] and "hf auth login" not in said[1]
    assert "HTTP 403" in refused.reason


def test_a_checkpoint_that_was_set_is_fetched_when_the_engine_is_first_used(hub, studio):
    """As that of any engine; the gate is told there, too."""
    hub.refuses[GATED] = refusal(401)
    here = studio(STUDIO_ACCEPT_LICENCES=ID, POCKET_TTS_CHECKPOINT=GATED)
    with pytest.raises(EngineUnavailable, match=r"no token that it knows.*: HTTP 401") as refused:
        here.load(ID)
    assert refused.value.values["sentence"] == "weights_gated_no_token" and "hf auth login" in refused.value.hint
    assert here.engines()[0].values["sentence"] == "weights_gated_no_token", "the engine's state says so as well"


# --- where it computes


def test_it_computes_on_the_cpu_alone_and_says_so():
    assert where(None, None) == (torch.device("cpu"), None) == where("cpu", None)
    for device in ("cuda", "cuda:0", "mps", "nonsense"):
        with pytest.raises(EngineUnavailable, match="quicker than speech") as refused:
            where(device, None)
        assert refused.value.values == {"sentence": "device_unusable", "name": device} and "POCKET_TTS_DEVICE" in refused.value.fact


def test_it_computes_in_float32_or_int8_and_large_models_in_int8_where_there_are_kernels(monkeypatch):
    assert [where("cpu", name)[1] for name in ("float32", "int8")] == [torch.float32, torch.int8]
    with pytest.raises(EngineUnavailable, match="float32 or int8") as refused:
        where("cpu", "bfloat16")
    assert refused.value.values == {"sentence": "dtype_unusable", "name": "bfloat16"}
    suited = {size: suiting_dtype(released_model(variant).config) for size, variant in SIZES.items()}
    assert {size for size, dtype in suited.items() if dtype == torch.int8} == {"100M", "24l"}
    monkeypatch.setattr(opening, "can_quantize", lambda: False)
    assert suiting_dtype(released_model("english").config) == torch.float32
    with pytest.raises(EngineUnavailable, match="no int8 kernels"):
        where("cpu", "int8")


def test_whoever_sets_a_gpu_is_refused_before_anything_is_fetched(hub):
    with pytest.raises(EngineUnavailable, match="computes on the CPU"):
        catalog.open_engine(ID, checkpoint=OPEN, device="cuda")
    assert hub.asked == []


@pytest.mark.parametrize("home", ["", f"languages/{SMALL}"])
def test_a_folder_of_somebodys_own_is_opened_with_its_own_configuration(tmp_path, home):
    folder = write_tiny_checkpoint(tmp_path / home, "pointwise", ends_after=8, presets=("alba",)) and tmp_path
    engine = catalog.open_engine(ID, checkpoint=str(folder), options={"variant": SMALL})
    assert (engine.info.hub_id, engine.info.presets, engine.info.languages) == ("", ("alba",), ("en",))
    assert engine.info.weights_bytes == sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert engine.info.clones_clips
    engine.close()


def test_weights_whose_encoder_is_blank_clone_nothing_whatever_they_are_called(tmp_path):
    folder = write_tiny_checkpoint(tmp_path, zero_encoder=True, presets=("marius",))
    engine = catalog.open_engine(ID, checkpoint=str(folder))
    assert not engine.info.clones_clips and engine.info.presets == ("marius",) and engine.info.default_preset is None
    engine.close()
