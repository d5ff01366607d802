"""Reads YAML files of checkpoints as plain values. It runs nothing in them and refuses aliases, which could stand for more.
No torch here.
"""

import re
from pathlib import Path

import yaml
from yaml.composer import ComposerError

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section
from engines.plain_json import MOST_DEPTH

__all__ = ["PlainLoader", "read_mapping"]

MOST_BYTES = 1_000_000  # the largest released file has 13,000
AGAIN = "Fetch the weights again."


class PlainLoader(yaml.SafeLoader):
    """Plain values, and none too deep in others. No aliases: a few lines of them could stand for more than memory holds."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise ComposerError(None, None, "aliases are not read", self.peek_event().start_mark)
        if self._depth > MOST_DEPTH:
            raise ComposerError(None, None, f"more than {MOST_DEPTH} parts in each other", self.peek_event().start_mark)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


# 1e-06 is a number in YAML 1.2, and text in YAML 1.1, which PyYAML reads.
PlainLoader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(?:\.\d*)?[eE][-+]?\d+"), list("-+0123456789"))


def read_mapping(file: Path, loader: type[PlainLoader] = PlainLoader) -> Section:
    """All of the file. loader: with the tags that it may have. Raises CheckpointInvalid where it cannot be read as a mapping."""
    try:
        with file.open(encoding="utf-8") as opened:
            text = opened.read(MOST_BYTES + 1)
        content = yaml.load(text, loader) if len(text) <= MOST_BYTES else None
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise CheckpointInvalid(f"{file.name} of the checkpoint cannot be read: {error}.", AGAIN) from error
    if not isinstance(content, dict):
        raise CheckpointInvalid(f"{file.name} of the checkpoint holds no mapping of less than {MOST_BYTES} characters.", AGAIN)
    return Section(file.name, content)
