"""Remote engines by STUDIO_REMOTES: their ids and options, where they stand among the others, and that no key is ever shown."""

import pytest

from engines import catalog
from engines.contract.options import Option
from engines.errors import OptionInvalid
from studio.running.offer.offer import offered, offered_settings, open_from_catalog, sources, weights_lacking
from studio.settings import SettingsInvalid, read_settings
from tests.house.source_files import ROOT
from tests.stand_ins import far_package

TWO = {"STUDIO_REMOTES": "gpu=http://10.0.0.5:8091/ http://10.0.0.6:8091, tts=https://tts.example/base"}
KEY = "a key with\x00a hidden character"


@pytest.fixture(autouse=True)
def far(monkeypatch):
    monkeypatch.setattr(catalog, "_SEVERAL", {"remote": far_package.__name__})


def refusal_of(**environment) -> str:
    with pytest.raises(SettingsInvalid) as refused:
        offered_settings(environment)
    return str(refused.value)


def test_each_name_is_an_engine_with_its_addresses_and_its_own_options():
    settings = offered_settings(TWO | {"REMOTE_GPU_MODEL": "some/model", "REMOTE_TTS_INLINE": "1"})
    assert settings.for_engine("remote_gpu").checkpoint == "http://10.0.0.5:8091 http://10.0.0.6:8091"
    assert settings.for_engine("remote_gpu").options == {"model": "some/model"}
    assert settings.for_engine("remote_tts").options == {"inline": True}
    assert settings.hosts_of("remote_gpu") == ("10.0.0.5:8091", "10.0.0.6:8091")
    assert (settings.sockets_each, offered_settings({}).sockets_each) == (2, 1)
    assert settings.hosts_of("remote_tts") == ("tts.example",) and settings.hosts_of("espeak") == ()


def test_without_remotes_there_is_none_and_nothing_of_theirs_is_looked_at(monkeypatch):
    monkeypatch.setattr(catalog, "_SEVERAL", {})
    settings = offered_settings({"REMOTE_GPU_KEY": "of another program"})
    assert settings.remotes == {} and not any(name.startswith("remote") for name in offered(settings, lambda: False))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("gpu", "has 'gpu'; write name=address"),
        ("http://a:8091", "has 'http://a:8091'; write name=address"),
        ("gpu=", "write name=address"),
        ("GPU=http://a", "has the name 'GPU'; a name is of a-z, 0-9 and _"),
        (f"{'a' * 25}=http://a", "at most 24"),
        ("gpu=http://a, gpu=http://b", "has the name 'gpu' twice"),
        ("gpu=a:8091", "has 'a:8091' for 'gpu'; an address begins with http"),
        ("gpu=ftp://a", "an address begins with http"),
        ("gpu=http://:80", "names a host"),
        ("gpu=http://a:port", "an address begins with http"),
        ("gpu=http://a?b=c", "has 'a' with something behind a ?"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_write(told, said):
    assert said in refusal_of(STUDIO_REMOTES=told)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    for told in ("gpu=http://me:hush@a", "gpu=ftp://me:hush@a", "gpu=http://me:hush@a:port", "gpu http://me:hush@a"):
        said = refusal_of(STUDIO_REMOTES=told)
        assert "STUDIO_REMOTES" in said and "hush" not in said
    assert "put a key into REMOTE_GPU_KEY" in refusal_of(STUDIO_REMOTES="gpu=http://me:hush@a")


def test_an_engine_that_is_named_without_its_addresses_is_an_error_that_says_where_they_go():
    for setting, value in (
        ("STUDIO_ENGINES", "espeak,remote_gpu"),
        ("STUDIO_DEFAULT_ENGINE", "remote_gpu"),
        ("STUDIO_MODEL_ALIASES", "tts-1=remote_gpu"),
    ):
        said = refusal_of(**{setting: value})
        assert said == f"{setting} names 'remote_gpu', and STUDIO_REMOTES has no 'gpu'; add gpu=http://its-host:port to it."


def test_an_option_that_no_remote_engine_has_is_refused_by_name_also_where_one_name_begins_as_another():
    assert "Unknown setting REMOTE_GPU_KYE. Known of remote_gpu: REMOTE_GPU_MODEL" in refusal_of(**TWO, REMOTE_GPU_KYE="k")
    assert "REMOTE_TTS_DEVICE" in refusal_of(**TWO, REMOTE_TTS_DEVICE="cpu")
    both = {"STUDIO_REMOTES": "a=http://a, a_b=http://b", "REMOTE_A_B_KEY": "k"}
    settings = offered_settings(both)
    assert settings.for_engine("remote_a").options == {} and settings.for_engine("remote_a_b").options == {"key": "k"}
    assert "REMOTE_A_B_KYE" in refusal_of(**{**both, "REMOTE_A_B_KYE": "k"})


def test_a_key_is_shown_nowhere():
    settings = offered_settings(TWO | {"REMOTE_GPU_KEY": "hush-hush"})
    assert settings.for_engine("remote_gpu").options == {"key": "hush-hush"} and settings.engine_secrets == ("hush-hush",)
    assert "hush" not in repr(settings) + str(settings) + repr(settings.for_engine("remote_gpu"))
    for wrong in (KEY, "hush" * 11):
        said = refusal_of(**TWO, REMOTE_GPU_KEY=wrong)
        assert said.startswith("REMOTE_GPU_KEY: ") and wrong not in said and "hush" not in said


def test_what_an_engine_cannot_do_with_is_told_with_the_name_of_its_variable():
    with pytest.raises(SettingsInvalid, match=r"^REMOTE_GPU_KEY: The key has a blank in it\. Take it out\.$"):
        offered(offered_settings(TWO | {"REMOTE_GPU_KEY": "hush hush"}), lambda: False)


def test_no_refusal_of_a_secret_repeats_it():
    with pytest.raises(OptionInvalid) as refused:
        Option("key", "secret", "", "Bearer.").check(12345)
    error = refused.value
    assert "is a text" in error.fact and "12345" not in f"{error.fact} {error.hint} {error.values}"


def test_they_are_offered_behind_the_others_each_with_its_own_title_and_the_same_weights_do_not_clash():
    told = TWO | {"REMOTE_GPU_MODEL": "some/model", "REMOTE_TTS_MODEL": "some/model"}
    settings = offered_settings(told)
    infos = offered(settings, lambda: True)
    assert list(infos)[-2:] == ["remote_gpu", "remote_tts"] and set(infos) - set(catalog.engine_ids()) == {"remote_gpu", "remote_tts"}
    assert [infos[name].title for name in ("remote_gpu", "remote_tts")] == ["Remote: some/model"] * 2
    assert [infos[name].id for name in ("remote_gpu", "remote_tts")] == ["remote_gpu", "remote_tts"]
    assert weights_lacking(settings, "remote_gpu") is None and "remote_gpu" not in sources(settings, None)
    placed = offered_settings(told | {"STUDIO_ENGINES": "remote_tts,espeak", "STUDIO_DEFAULT_ENGINE": "remote_gpu"})
    assert list(offered(placed, lambda: True)) == ["remote_tts", "espeak", "remote_gpu"]


def test_one_is_opened_by_its_id_with_its_own_settings_and_a_folder_for_what_it_left_elsewhere(tmp_path):
    settings = offered_settings(TWO | {"SPEAKER_SAMPLES_DIR": str(tmp_path), "REMOTE_GPU_KEY": "k", "REMOTE_TTS_LEDGER": "/elsewhere"})
    gpu, tts = (open_from_catalog(settings, name) for name in ("remote_gpu", "remote_tts"))
    assert gpu.info.id == "remote_gpu" and gpu.opened["checkpoint"] == "http://10.0.0.5:8091 http://10.0.0.6:8091"
    assert (gpu.opened["key"], gpu.opened["device"], gpu.opened["dtype"]) == ("k", None, None)
    assert gpu.opened["ledger"] == str(tmp_path / "remote" / "remote_gpu") and tts.opened["ledger"] == "/elsewhere"
    lent = open_from_catalog(settings.model_copy(update={"zero_gpu": True}), "remote_gpu")
    assert lent.opened["device"] is None, "what works elsewhere is told of no device here"


def test_a_remote_engine_may_be_the_default_and_have_other_names():
    settings = offered_settings(TWO | {"STUDIO_DEFAULT_ENGINE": "remote_gpu", "STUDIO_MODEL_ALIASES": "tts-1=remote_tts"})
    assert (settings.default_engine, settings.model_aliases) == ("remote_gpu", {"tts-1": "remote_tts"})
    assert "which is an engine's own id" in refusal_of(**TWO, STUDIO_MODEL_ALIASES="remote_gpu=espeak")


def test_the_catalog_knows_no_engine_by_the_bare_word():
    assert not any(name.startswith("remote") for name in catalog.engine_ids())
    for name in ("remote", "remote_", "remotegpu"):
        with pytest.raises(KeyError):
            catalog.engine_info(name)
    assert read_settings({"STUDIO_REMOTES": "a=http://a"}).remotes == {"remote_a": ("http://a",)}


def test_what_may_be_set_of_a_remote_engine_is_documented():
    package = pytest.importorskip("engines.remote").PACKAGE
    documented = (ROOT / "studio/README.md").read_text().partition("## Servers as engines")[2].partition("\n## ")[0]
    assert not [option.name for option in package.info.load_options if f"`{option.name.upper()}`" not in documented]
