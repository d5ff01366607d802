"""Claims about where a model's files are: two repositories at pinned commits, another's upload, or a folder; and about the gate."""

from dataclasses import replace
from pathlib import Path

import pytest

from engines.errors import EngineUnavailable, FetchCancelled
from engines.pocket_tts import PACKAGE
from engines.pocket_tts.options import VARIANTS
from engines.pocket_tts.released import GATED, OPEN, released_model
from engines.pocket_tts.weights import PRESETS, VOICES_REVISION, PocketWeights
from tests.engines.pocket_tts.fake_hub import MAIN, PIECE_BYTES, FakeHub, refusal

WEIGHTS = PACKAGE.weights
SMALL = "english_2m_2026-10"
SETTING = f"POCKET_TTS_CHECKPOINT={OPEN}"


@pytest.fixture
def hub(tmp_path, monkeypatch) -> FakeHub:
    fake = FakeHub(tmp_path / "hub", monkeypatch)
    fake.release()
    return fake


def fetch(weights: PocketWeights, checkpoint: str | None = None) -> list[tuple[int, int | None]]:
    """What it tells of its bytes."""
    told = []
    weights.fetch(checkpoint, lambda done, total: told.append((done, total)), lambda: False)
    return told


def fill(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x" * 10)
    return folder


@pytest.mark.parametrize("variant", ["english", SMALL])
def test_a_model_comes_of_both_repositories_at_their_pinned_commits_and_nothing_else_comes(hub, variant):
    hub.release(variant)
    weights, model = WEIGHTS.of({"variant": variant}), released_model(variant)
    fetch(weights)
    files = weights.resolve()
    repository, commit, tokenizer = model.tokenizer
    home = f"languages/{variant}"
    assert hub.asked == [
        (GATED, model.weights[1], {f"{home}/model.safetensors"}),
        (repository, commit, {tokenizer}),
        (OPEN, VOICES_REVISION, {f"{home}/embeddings/{name}.safetensors" for name in PRESETS}),
    ]
    assert files.model.parts[-5:-2] == ("snapshots", model.weights[1], "languages") and "models--kyutai--pocket-tts" in files.model.parts
    assert files.tokenizer.name == ("tokenizer.json" if variant == "english" else "tokenizer.model")
    assert commit in files.tokenizer.parts and files.config is None
    assert tuple(files.presets) == PRESETS and all(VOICES_REVISION in file.parts for file in files.presets.values())


def test_the_open_checkpoint_asks_nothing_of_the_gated_repository(hub):
    hub.refuses[GATED] = refusal(401)
    files = WEIGHTS.resolve(OPEN)
    assert {repository for repository, _, _ in hub.asked} == {OPEN}
    assert released_model("english").open_weights[1] in files.model.parts
    assert tuple(files.presets) == PRESETS and WEIGHTS.is_here(OPEN) and not WEIGHTS.is_here()


def test_the_default_is_never_fetched_unasked_and_says_how_its_gate_is_opened(hub):
    with pytest.raises(EngineUnavailable, match="accepted its terms") as lacking:
        WEIGHTS.resolve()
    assert hub.asked == []
    assert lacking.value.values == {"sentence": "weights_gated", "name": GATED, "setting": SETTING}
    assert all(said in lacking.value.hint for said in (f"https://huggingface.co/{GATED}", "hf auth login", "HF_TOKEN", SETTING))
    assert WEIGHTS.availability().fact == lacking.value.fact and WEIGHTS.availability(GATED) is None, "that would be fetched"
    assert lacking.value.command == WEIGHTS.command() == PACKAGE.info.weights_command
    assert WEIGHTS.resolve(GATED).model.is_file()


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_command_names_every_file_at_its_commit_in_one_line(variant):
    weights, model = PocketWeights(variant), released_model(variant)
    for checkpoint, (repository, commit) in ((None, model.weights), (OPEN, model.open_weights)):
        command = weights.command(checkpoint)
        parts = [part.split() for part in command.split(" && ")]
        assert all(part[:2] == ["hf", "download"] and part[-2] == "--revision" for part in parts) and "\n" not in command
        named = {(part[2], part[-1], name) for part in parts for name in part[3:-2]}
        voices = {(OPEN, VOICES_REVISION, f"languages/{variant}/embeddings/{name}.safetensors") for name in PRESETS}
        assert named == voices | {(repository, commit, f"languages/{variant}/model.safetensors"), model.tokenizer}
        assert len(parts) == len({(part[2], part[-1]) for part in parts}), "a repository is asked once for a commit"


@pytest.mark.parametrize(("presets", "spoken"), [(("marius", "alba"), ["alba", "marius"]), ((), [])])
def test_voices_that_the_repository_lacks_do_not_break_the_fetch(hub, presets, spoken):
    hub.repositories.clear()
    hub.release(presets=presets)
    fetch(WEIGHTS)
    assert WEIGHTS.is_here()
    assert list(WEIGHTS.resolve().presets) == spoken


def test_a_voice_that_the_repository_has_and_the_cache_lacks_is_fetched(hub):
    fetch(WEIGHTS)
    WEIGHTS.resolve().presets["javert"].unlink()
    assert not WEIGHTS.is_here() and WEIGHTS.availability().values == {"sentence": "weights_absent", "name": OPEN}
    fetch(WEIGHTS)
    assert "javert" in WEIGHTS.resolve().presets


@pytest.mark.parametrize("checkpoint", [None, GATED])
def test_another_commit_in_the_cache_is_not_the_pinned_one(hub, checkpoint):
    hub.cached(GATED, MAIN, "languages/english/model.safetensors")
    hub.cached(OPEN, MAIN, "languages/english/tokenizer.json")
    assert not WEIGHTS.is_here(checkpoint)
    fetch(WEIGHTS, checkpoint)
    assert released_model("english").weights[1] in WEIGHTS.resolve(checkpoint).model.parts


def test_files_that_came_with_the_makers_own_program_are_taken(hub):
    """It fetches them one by one, and the voices that were spoken alone."""
    model = released_model("english")
    hub.cached(*model.weights, "languages/english/model.safetensors")
    hub.cached(*model.tokenizer)
    assert not WEIGHTS.is_here()
    hub.cached(OPEN, VOICES_REVISION, "languages/english/embeddings/alba.safetensors")
    assert list(WEIGHTS.resolve().presets) == ["alba"]


# --- refused, stopped, gone on with


@pytest.mark.parametrize(
    ("status", "sentence", "said"), [(401, "weights_gated_no_token", "HTTP 401"), (403, "weights_gated_not_accepted", "HTTP 403")]
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_refusal_says_whose_acceptance_is_missing_and_the_way_around(hub, status, sentence, said, wrapped):
    hub.refuses[GATED] = refusal(status)
    if wrapped:  # as the library has what is neither known as a gate nor as a network's failure
        hub.refuses[GATED] = refusal(0)
        hub.refuses[GATED].__cause__ = refusal(status)
    for get in (lambda: fetch(WEIGHTS), lambda: WEIGHTS.resolve(GATED)):
        with pytest.raises(EngineUnavailable) as refused:
            get()
        assert said in refused.value.fact and GATED in refused.value.fact
        assert refused.value.values == {"sentence": sentence, "name": GATED, "setting": SETTING}
        assert all(way in refused.value.hint for way in (f"https://huggingface.co/{GATED}", "hf auth login", SETTING))
        assert refused.value.command == WEIGHTS.command()
    assert hub.asked == [], "the gate is asked first"


@pytest.mark.parametrize("status", [0, 404, 503])
def test_another_failure_is_told_as_of_any_engine(hub, status):
    hub.refuses[GATED] = refusal(status)
    with pytest.raises(EngineUnavailable, match="could not be downloaded") as failed:
        fetch(WEIGHTS)
    assert failed.value.values == {"sentence": "weights_not_downloaded", "name": GATED}
    assert "\n" not in failed.value.fact and failed.value.command == WEIGHTS.command()


def test_the_bytes_of_all_files_are_told_as_one_and_end_where_all_are_here(hub):
    told = fetch(WEIGHTS)
    done, totals = [done for done, _ in told], [total for _, total in told]
    whole = (5 + 1 + 2 * len(PRESETS)) * PIECE_BYTES
    assert done == sorted(done) and told[-1] == (whole, whole)
    assert min(total for total in totals[:7] if total) > whole, "what is to come counts, as large as it is released"
    assert WEIGHTS.n_bytes() == whole and WEIGHTS.n_bytes(OPEN) > 10**6, "of the release where they are not here"
    assert fetch(WEIGHTS) == [] and len(hub.asked) == 3, "what is here is not fetched again"


@pytest.mark.parametrize("n_pieces", [3, 6, 9])
def test_a_fetch_that_is_cancelled_goes_on_where_it_ended(hub, n_pieces):
    told = []
    with pytest.raises(FetchCancelled):
        WEIGHTS.fetch(None, lambda done, total: told.append(done), lambda: told[-1:] == [n_pieces * PIECE_BYTES])
    assert not WEIGHTS.is_here()
    again = fetch(WEIGHTS)
    assert again[0][0] >= n_pieces * PIECE_BYTES and again[-1][0] == again[-1][1] == WEIGHTS.n_bytes()
    assert WEIGHTS.is_here()


# --- folders and uploads


@pytest.mark.parametrize("home", ["", f"languages/{SMALL}/"])
@pytest.mark.parametrize("tokenizer", ["tokenizer.json", "tokenizer.model"])
def test_a_folder_holds_a_model_at_its_top_or_below_its_variant(tmp_path, home, tokenizer):
    weights = PocketWeights(SMALL)
    folder = fill(tmp_path / "mine", *(home + name for name in ("model.safetensors", tokenizer, "embeddings/alba.safetensors")))
    files = weights.resolve(str(folder))
    assert (files.model, files.tokenizer, files.config) == (folder / home / "model.safetensors", folder / home / tokenizer, None)
    assert files.presets == {"alba": folder / home / "embeddings/alba.safetensors"}
    assert weights.n_bytes(str(folder)) == 30 and weights.hub_id(str(folder)) == "" and weights.availability(str(folder)) is None
    fill(folder, f"{home}config.yaml", f"{home}embeddings/jean.safetensors")
    files = weights.resolve(str(folder))
    assert files.config == folder / home / "config.yaml" and "jean" not in files.presets, "its recording is CC BY-NC"


def test_of_a_folder_with_several_models_the_variant_is_read(tmp_path):
    folder = fill(
        tmp_path, *(f"languages/{name}/{file}" for name in ("german", "dutch") for file in ("model.safetensors", "tokenizer.json"))
    )
    assert PocketWeights("dutch").resolve(str(folder)).model.parent.name == "dutch"
    with pytest.raises(EngineUnavailable, match="holds dutch, german, and not italian") as refused:
        PocketWeights("italian").resolve(str(folder))
    assert refused.value.command == "POCKET_TTS_VARIANT=dutch"
    with pytest.raises(EngineUnavailable, match="is german, and not dutch"):
        PocketWeights("dutch").resolve(str(folder / "languages/german"))


def test_what_a_folder_lacks_is_named(tmp_path):
    folder = fill(tmp_path / "mine", "model.safetensors")
    with pytest.raises(EngineUnavailable, match=r"incomplete: tokenizer\.json missing in") as lacking:
        WEIGHTS.resolve(str(folder))
    assert lacking.value.values == {"sentence": "weights_incomplete", "n": 1}
    fill(folder, "tokenizer.model")
    (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:180b3b10eb1c\nsize 219029196\n")
    assert "Git LFS pointers in place of model.safetensors" in WEIGHTS.availability(str(folder)).fact
    with pytest.raises(EngineUnavailable, match="there is no folder"):
        WEIGHTS.resolve(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("home", ["", "languages/english/"])
def test_somebodys_upload_is_taken_whole_from_its_main_branch(hub, home):
    hub.upload("someone/pocket", *(home + name for name in ("model.safetensors", "tokenizer.model", "config.yaml", "more.bin")))
    assert WEIGHTS.availability("someone/pocket") is None and WEIGHTS.n_bytes("someone/pocket") == 0
    files = WEIGHTS.resolve("someone/pocket")
    assert {repository for repository, _, _ in hub.asked} == {"someone/pocket"}
    assert files.model.is_file() and files.config.name == "config.yaml" and not list(files.model.parent.glob("more.bin"))
    assert WEIGHTS.hub_id("someone/pocket") == "someone/pocket"
    assert WEIGHTS.command("someone/pocket").startswith("hf download someone/pocket --include 'languages/english/*'")


def test_an_upload_behind_a_gate_of_its_own_is_told_by_its_name(hub):
    hub.refuses["someone/pocket"] = refusal(403)
    with pytest.raises(EngineUnavailable, match="keeps someone/pocket for those who accepted") as refused:
        WEIGHTS.resolve("someone/pocket")
    assert refused.value.values["name"] == "someone/pocket"
    hub.upload("someone/bare", "model.safetensors")
    with pytest.raises(EngineUnavailable, match=r"tokenizer\.json missing"):
        WEIGHTS.resolve("someone/bare")


def test_weights_are_those_of_the_variant_and_themselves_where_they_are_already():
    assert WEIGHTS.of({"variant": "english", "width": 3}) is WEIGHTS
    assert WEIGHTS.of({"variant": "dutch"}) == replace(WEIGHTS, variant="dutch")
