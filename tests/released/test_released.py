"""Our readers want what the releases have: every tensor by name, shape and type, nothing missing, nothing extra, nothing refused."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path

import pytest
import torch

from engines import catalog
from engines.kit.codec.weight_norm import fold_weight_norm
from engines.kit.weights import config_reading
from engines.kit.weights.checkpoint import Checkpoint
from tests.released.release import DTYPES, Release
from tests.released.subjects import RELEASED

# Files of safetensors agree to the byte. torch's archives of the same tensors differ with its version and their own name inside, and spend
# 300 bytes on a tensor. Of ONNX files only the tensors are known, see n_note_bytes.
SIZE_SLACK = {".safetensors": 0, ".pth": 5_000, ".pt": 5_000, ".onnx": 5_000}


@pytest.fixture(scope="module", params=RELEASED.values(), ids=RELEASED)
def release(request) -> Release:
    return request.param


@pytest.fixture(scope="module")
def folder(release, tmp_path_factory) -> Path:
    return release.write(tmp_path_factory.mktemp("released"))


@dataclass(frozen=True)
class Reading:
    """What the engine's own code took from a folder: tensor of the files -> the dtype that our networks hold it in; keys of configurations
    for which there is no rule.
    """

    taken: dict[str, torch.dtype]
    without_rule: list[str]


@pytest.fixture(scope="module")
def reading(release, folder) -> Reading:
    """One for all claims."""
    taken: dict[str, torch.dtype] = {}
    without_rule: list[str] = []
    shared = {pattern for file in release.files.values() for pattern in file.shared}
    unused = set(shared)
    with pytest.MonkeyPatch.context() as patched:
        fill, changes_computation = Checkpoint._fill, config_reading._changes_computation

        def changes(key, value):
            without_rule.append(key)
            return changes_computation(key, value)

        def watched(self, module, *filled):
            _, slot, parts, _ = filled
            folded = getattr(self, "_halves", {})  # of weight norm: two tensors of the file are one of ours
            parts = [half for part in parts for half in folded.get(part, (part,))]
            for tensor in set(parts) & set(taken):
                reasons = {pattern for pattern in shared if fnmatchcase(tensor, pattern)}
                assert reasons, f"two networks read {tensor}, and nothing says why"
                unused.difference_update(reasons)
            taken.update(dict.fromkeys(parts, slot.dtype))
            fill(self, module, *filled)

        patched.setattr(Checkpoint, "_fill", watched)
        patched.setattr(config_reading, "_changes_computation", changes)
        patched.setattr(Checkpoint, "digest", lambda self, names: "")  # of holes: half a second of nothing
        release.read(folder)
    assert not unused, "a reason for nothing"
    return Reading(taken, without_rule)


@pytest.fixture(scope="module")
def loaded(reading) -> dict[str, torch.dtype]:
    return reading.taken


def test_the_tables_fill_files_of_the_published_size(release, folder):
    """Names, shapes, types and the padded header make up the size, so that a tensor too many or too few would show."""
    for name, file in release.files.items():
        assert abs((folder / name).stat().st_size + file.n_note_bytes - file.n_bytes) <= SIZE_SLACK[Path(name).suffix], name


def test_files_that_follow_from_the_facts_are_the_published_ones(release, folder):
    assert {name: sha256((folder / name).read_bytes()).hexdigest() for name in release.digests} == release.digests


def test_all_that_is_wanted_is_there_and_what_is_not_read_has_its_reason(release, loaded):
    for name, file in release.files.items():
        read = file.tensors.keys() & loaded.keys()
        assert len(read) == file.n_read, name
        used = set()
        for tensor in file.tensors.keys() - read:
            reasons = {pattern for pattern in file.unread if fnmatchcase(tensor, pattern)}
            assert reasons, f"{name}: {tensor} is not read, and nothing says why"
            used |= reasons
        assert used == set(file.unread), "a reason for nothing"
        assert not [tensor for tensor in read if any(fnmatchcase(tensor, pattern) for pattern in file.unread)]
    assert loaded.keys() <= {tensor for file in release.files.values() for tensor in file.tensors}


def test_every_gain_of_weight_norm_belongs_to_its_direction(release):
    for file in release.files.values():
        for name in (name for name in file.tensors if name.endswith("weight_g")):
            shapes = [file.tensors[name.removesuffix("_g") + half][0] for half in ("_g", "_v")]
            folded = fold_weight_norm(*(torch.empty(shape, device="meta") for shape in shapes))
            assert folded.shape == shapes[1], name


def test_types_are_the_released_ones_but_where_it_is_said(release, loaded):
    for file in release.files.values():
        for tensor in file.tensors.keys() & loaded.keys():
            is_said = any(fnmatchcase(tensor, pattern) for pattern in release.converted)
            assert (loaded[tensor] == DTYPES[file.tensors[tensor][1]]) != is_said, tensor


def test_every_key_of_the_released_configuration_is_known(reading):
    """Read, compared with what is implemented, or listed as without effect: no key is passed over for want of a rule."""
    assert not reading.without_rule


def test_the_catalog_knows_the_size_before_and_after_it_is_fetched(release, folder):
    known = catalog.engine_info(release.engine, release.repository, release.options).weights_bytes
    assert known == release.n_bytes
    here = catalog.engine_info(release.engine, str(folder), release.options).weights_bytes
    assert abs(here - known) < 5_000_000, "vocabularies are made up here"
