"""The weights' source: what is fetched, what must be there, what may be absent, and the terms that are accepted before."""

import csv
import shutil
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path

import huggingface_hub
import pytest
import torch
from huggingface_hub.errors import LocalEntryNotFoundError
from safetensors.torch import load_file, save_file

from engines.catalog import open_engine
from engines.errors import CheckpointInvalid, EngineUnavailable
from engines.kit.weights import weights
from engines.kit.weights.torch_file import read_torch_file
from engines.voxtral import PACKAGE
from engines.voxtral.networks import read_networks
from engines.voxtral.options import PRESETS
from tests.engines.voxtral.opened import tiny, tiny_folder
from tests.released.release import FACTS
from tests.released.subjects import voxtral_voice_rows

FACTS_OF_FILES = list(csv.DictReader((FACTS / "voxtral_4b_tts/files.tsv").read_text().splitlines(), delimiter="\t"))
BYTES = {line["file"]: int(line["bytes"]) for line in FACTS_OF_FILES}
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:66c4fd998d\nsize 8004752248\n"


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Path:
    """A hub that has these files, and two that nobody reads, and gives those that are asked for."""

    def download(repository, *, allow_patterns, local_files_only=False, **how):
        if local_files_only and not any(tmp_path.iterdir()):
            raise LocalEntryNotFoundError("not here")
        for name in (*BYTES, "README.md", ".gitattributes") if not local_files_only else ():
            if any(fnmatchcase(name, pattern) for pattern in allow_patterns):
                (tmp_path / name).parent.mkdir(exist_ok=True)
                (tmp_path / name).write_bytes(b"x" * 10)
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.setattr(weights, "is_begun", lambda repository: True)
    return tmp_path


@pytest.fixture
def folder(tmp_path) -> Path:
    return Path(shutil.copytree(tiny_folder(encoder=False), tmp_path / "voxtral"))


def test_every_file_of_the_release_is_fetched_and_the_licenses_line_kept_beside_them(hub):
    PACKAGE.weights.fetch(None, lambda done, total: None, lambda: False)
    assert {str(file.relative_to(hub)) for file in hub.rglob("*") if file.is_file()} == {*BYTES, "Notice"}
    assert "CC BY-NC 4.0: https://creativecommons.org/licenses/by-nc/4.0/" in (hub / "Notice").read_text(encoding="utf-8")


def test_terms_are_declared_where_the_page_looks_for_them():
    info = PACKAGE.info
    assert (info.license, info.restriction, info.hub_id) == ("CC BY-NC 4.0", "commercial use", "mistralai/Voxtral-4B-TTS-2603")
    assert "Mistral AI" in info.attribution and "CC BY-NC 4.0" in info.attribution
    assert [license.url for license in info.licenses] == [f"https://huggingface.co/{info.hub_id}"]


def test_sizes_and_voices_are_those_that_are_published(tmp_path):
    assert PACKAGE.info.weights_bytes == sum(BYTES.values()) == 8_037_623_041
    rows = {Path(name).stem: voxtral_voice_rows(n_bytes) for name, n_bytes in BYTES.items() if name.startswith("voice_embedding/")}
    assert rows.keys() == set(PRESETS) and (min(rows.values()), max(rows.values())) == (67, 218) == (
        rows["ar_male"],
        rows["neutral_female"],
    )
    torch.save(torch.zeros(rows["ar_male"], 3072, dtype=torch.bfloat16), tmp_path / "ar_male.pt")
    assert abs((tmp_path / "ar_male.pt").stat().st_size - BYTES["voice_embedding/ar_male.pt"]) < 600, "one tensor, and torch's notes"


def test_a_voice_whose_file_is_absent_is_no_preset_and_the_rest_is_here(folder):
    for name in PRESETS[:-2]:
        (folder / "voice_embedding" / f"{name}.pt").unlink()
    assert PACKAGE.weights.is_here(str(folder))
    assert PACKAGE.weights.n_bytes(str(folder)) == sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    with closing(open_engine("voxtral", checkpoint=str(folder), device="cpu")) as engine:
        assert set(engine.info.presets) == set(PRESETS[-2:]) and engine.info.default_preset in engine.info.presets


@pytest.mark.parametrize("name", ["params.json", "tekken.json", "consolidated.safetensors"])
def test_what_every_voice_needs_is_missed_by_name(folder, name):
    (folder / name).unlink()
    with pytest.raises(EngineUnavailable, match=rf"incomplete: {name} missing in") as refused:
        PACKAGE.weights.resolve(str(folder))
    assert refused.value.command == "hf download mistralai/Voxtral-4B-TTS-2603"


def test_prompts_are_signed_with_what_makes_them_and_with_nothing_else(tmp_path):
    folder = Path(shutil.copytree(tiny_folder(), tmp_path / "voxtral"))
    file, voice = folder / "consolidated.safetensors", folder / "voice_embedding" / "de_male.pt"
    tensors = {name: tensor.clone() for name, tensor in load_file(file).items()}  # the file is written over
    signed = {None: tiny().extraction_digest}
    for name in (
        "mm_audio_embeddings.audio_codebook_embeddings.embeddings.weight",
        "audio_tokenizer.encoder_blocks.0.layers.0.attention.wq.weight",
        "audio_tokenizer.quantizer.semantic_codebook.embedding_sum",
        "layers.0.attention.wq.weight",
    ):
        save_file(tensors | {name: tensors[name] * 2}, file)
        signed[name] = read_networks(folder, torch.device("cpu"), torch.float32).extraction_digest
    save_file(tensors, file)
    torch.save(read_torch_file(voice) * 2, voice)
    signed[voice.stem] = read_networks(folder, torch.device("cpu"), torch.float32).extraction_digest
    assert signed["layers.0.attention.wq.weight"] == signed[None]
    assert len(set(signed.values())) == len(signed) - 1


@pytest.mark.parametrize(
    ("dtype", "part", "told"),
    [
        (torch.float8_e4m3fn, "embeddings.weight", "mm_audio_embeddings.*stored as F8_E4M3, which is not read"),
        (torch.float8_e4m3fn, "wq.weight", "attention.wq.weight is stored as F8_E4M3"),
        (torch.int8, "embeddings.weight", r"stored as torch\.int8; read are bfloat16, float16 and float32"),
        (torch.int8, "w2.weight", r"w2\.weight is stored as torch\.int8"),
    ],
)
def test_quantized_weights_are_refused_and_not_read_as_what_they_stand_for(folder, dtype, part, told):
    file = folder / "consolidated.safetensors"
    tensors = {name: tensor.to(dtype if name.endswith(part) else tensor.dtype, copy=True) for name, tensor in load_file(file).items()}
    save_file(tensors, file)
    with pytest.raises(CheckpointInvalid, match=told) as refused:
        open_engine("voxtral", checkpoint=str(folder), device="cpu")
    assert refused.value.hint


def test_files_of_two_models_are_refused(folder):
    file = folder / "params.json"
    file.write_text(file.read_text().replace('"audio_token_id": 24', '"audio_token_id": 23'))
    with pytest.raises(CheckpointInvalid, match="is another model's"):
        open_engine("voxtral", checkpoint=str(folder), device="cpu")


def test_pointers_in_place_of_weights_and_voices_are_told_before_any_is_read(folder):
    for name in ("consolidated.safetensors", "voice_embedding/de_male.pt"):
        (folder / name).write_bytes(POINTER)
    with pytest.raises(EngineUnavailable, match=r"Git LFS pointers in place of consolidated\.safetensors, de_male\.pt") as refused:
        PACKAGE.weights.resolve(str(folder))
    assert refused.value.command.endswith("lfs pull")
