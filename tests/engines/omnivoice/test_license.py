"""What the licenses of the weights ask of whoever hands them on: texts and notice beside them, their terms before they are fetched."""

from fnmatch import fnmatchcase
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from engines.errors import EngineUnavailable
from engines.kit.weights import weights
from engines.omnivoice import PACKAGE

READ = {  # of k2-fsa/OmniVoice
    *("config.json", "tokenizer.json", "model.safetensors"),
    *("audio_tokenizer/config.json", "audio_tokenizer/model.safetensors", "audio_tokenizer/LICENSE"),
}
UNREAD = {
    *("README.md", "chat_template.jinja", "tokenizer_config.json"),
    *("audio_tokenizer/README.md", "audio_tokenizer/preprocessor_config.json"),
}


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Path:
    """A hub that has these files and gives those that are asked for."""

    def download(repository, *, allow_patterns, local_files_only=False, **how):
        if local_files_only and not any(tmp_path.iterdir()):
            raise LocalEntryNotFoundError("not here")
        for name in READ | UNREAD if not local_files_only else ():
            if any(fnmatchcase(name, pattern) for pattern in allow_patterns):
                (tmp_path / name).parent.mkdir(exist_ok=True)
                (tmp_path / name).write_text("{}")
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.setattr(weights, "is_begun", lambda repository: True)
    return tmp_path


def test_license_and_notice_come_with_the_weights_and_nothing_that_is_not_read(hub):
    PACKAGE.weights.fetch(None, lambda done, total: None, lambda: False)
    assert {str(file.relative_to(hub)) for file in hub.rglob("*") if file.is_file()} == READ | {"Notice"}
    said = (hub / "Notice").read_text(encoding="utf-8")
    for maker in (
        "Boson Higgs Audio 2 is licensed under the Boson Community License, Copyright © Boson AI USA, Inc.",
        "Meta Llama 3 is licensed",
    ):
        assert any(line.startswith(maker) and line.endswith("All Rights Reserved.") for line in said.splitlines())
    for limit in ("CC-BY-NC: it is not for commercial use", "more than 100,000 annual active users"):
        assert limit in said


def test_a_folder_without_its_codec_is_told_apart_from_one_that_is_complete(hub):
    PACKAGE.weights.fetch(None, lambda done, total: None, lambda: False)
    assert PACKAGE.weights.is_here(str(hub))
    for name in ("config.json", "model.safetensors"):
        (hub / "audio_tokenizer" / name).unlink()
    with pytest.raises(EngineUnavailable, match=r"audio_tokenizer/config\.json, audio_tokenizer/model\.safetensors missing"):
        PACKAGE.weights.resolve(str(hub))


def test_both_licenses_are_declared_where_page_and_programs_look_for_them():
    info = PACKAGE.info
    model, codec = info.licenses
    assert (model.title, codec.title) == ("CC-BY-NC", "Boson Higgs Audio 2 Community License")
    assert info.license == "CC-BY-NC for the model, Boson Higgs Audio 2 Community License for the codec"
    assert codec.url == f"https://huggingface.co/{info.hub_id}/blob/main/audio_tokenizer/LICENSE" and info.hub_id in model.url
    assert (info.restriction, model.most_annual_users, codec.most_annual_users) == ("commercial use", 0, 100_000)
    assert info.attribution.startswith("Built with Higgs Materials licensed from Boson AI USA, Inc., Copyright Boson AI USA, Inc.")
