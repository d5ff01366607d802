"""What the license of the weights asks of whoever hands them on: its text and its notice beside them, its terms before they are fetched."""

import json
from fnmatch import fnmatchcase
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from engines.fish_speech import PACKAGE
from engines.kit.weights import weights

SHARDS = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
FILES = (  # of fishaudio/s2-pro, those that were seen
    *("LICENSE.md", "README.md", "chat_template.jinja", "codec.pth", "config.json", *SHARDS, "model.safetensors.index.json"),
    *("special_tokens_map.json", "tokenizer.json", "tokenizer_config.json"),
)
UNREAD = {"README.md", "chat_template.jinja", "special_tokens_map.json", "tokenizer_config.json"}


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Path:
    """A hub that has these files and gives those that are asked for."""

    def download(repository, *, allow_patterns, local_files_only=False, **how):
        if local_files_only and not any(tmp_path.iterdir()):
            raise LocalEntryNotFoundError("not here")
        for name in FILES if not local_files_only else ():
            if any(fnmatchcase(name, pattern) for pattern in allow_patterns):
                index = {"weight_map": {f"tensor.{i}": shard for i, shard in enumerate(SHARDS)}}
                (tmp_path / name).write_text(json.dumps(index if name.endswith("index.json") else {}))
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.setattr(weights, "is_begun", lambda repository: True)
    return tmp_path


def test_license_and_notice_come_with_the_weights_and_nothing_that_is_not_read(hub):
    PACKAGE.weights.fetch(None, lambda done, total: None, lambda: False)
    assert {file.name for file in hub.iterdir()} == {*FILES, "Notice"} - UNREAD
    line = "This model is licensed under the Fish Audio Research License, Copyright © 39 AI, INC. All Rights Reserved."
    assert (hub / "Notice").read_text(encoding="utf-8") == f"{line}\n"


def test_terms_are_declared_where_the_page_looks_for_them():
    info = PACKAGE.info
    assert (info.license, info.restriction, info.attribution) == ("Fish Audio Research License", "commercial use", "Built with Fish Audio")
    assert [license.url for license in info.licenses] == [f"https://huggingface.co/{info.hub_id}/blob/main/LICENSE.md"]
