"""YAML or JSON of a file that somebody wrote: read_yaml gives its values, and bounds what they may be made of."""

from contextlib import suppress

from engines.plain_json import read_json

__all__ = ["read_yaml"]

MOST_DEPTH = 10  # files that people write have 4


def read_yaml(data: bytes) -> object:
    """JSON is read for itself: YAML takes all of it but tabs. Raises ValueError, in English, for what is neither, is no UTF-8, lies too
    deep, or is repeated by reference."""
    import yaml

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("is no text in UTF-8") from None
    with suppress(ValueError):
        return read_json(text)
    try:
        _check(text)
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"is neither YAML nor JSON: {' '.join(str(error).split())}") from None


def _check(text: str) -> None:
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > MOST_DEPTH:
            raise ValueError(f"repeats a part by reference (*name), or its parts lie more than {MOST_DEPTH} deep in each other")
