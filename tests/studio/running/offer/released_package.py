"""A package as engines/ would hold it, whose makers released two sizes. Its weights are a file in the hub's cache."""

from dataclasses import replace
from pathlib import Path

import huggingface_hub.constants

from engines.contract.package import EnginePackage
from engines.contract.release import Release
from engines.kit.weights.weights import HubWeights
from tests.stand_ins.fake_engine import INFO as FAKE
from tests.stand_ins.fake_engine import FakeEngine

__all__ = ["INFO", "LARGE", "PACKAGE", "SMALL", "put_weights"]

SMALL, LARGE = "makers/small", "makers/large"
RELEASES = (Release(SMALL, "1B", 10, "quick"), Release(LARGE, "2B", 30, "better"))
WEIGHTS = HubWeights(SMALL, ("*.bin",), ("weights.bin",), {release.repository: release.weights_bytes for release in RELEASES})
INFO = replace(FAKE, id="sized", title="Sized", hub_id=SMALL, weights_bytes=10, weights_command=WEIGHTS.command())


def put_weights(repository: str) -> None:
    """As a fetch leaves them."""
    home = Path(huggingface_hub.constants.HF_HUB_CACHE) / f"models--{repository.replace('/', '--')}"
    snapshot = home / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text("0" * 40)
    (snapshot / "weights.bin").write_bytes(b"0" * 10)


def _open(checkpoint: str | None = None, device: str | None = None, dtype: str | None = None, progress: object = None) -> FakeEngine:
    lack = WEIGHTS.availability(checkpoint)
    if lack is not None:
        raise lack
    engine = FakeEngine(replace(INFO, hub_id=WEIGHTS.hub_id(checkpoint)))
    engine.weights_fingerprint = WEIGHTS.hub_id(checkpoint)
    return engine


PACKAGE = EnginePackage(INFO, _open, WEIGHTS, releases=RELEASES)
