"""Failure report: text for the person who can repair a failed engine: reason, device, versions. It holds no secret and no path."""

import platform
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from studio import __version__
from studio.errors.clean import clean
from studio.running.lifecycle import EngineStatus
from studio.workspace import named_key

__all__ = ["failure_report"]

PACKAGES = ("torch", "numpy", "safetensors", "huggingface_hub", "espeakng-loader", "gradio")
_TOKENS = re.compile(r"\bhf_\w{6,}|\bBearer\s+\S+|(?<=://)[^/\s@]+@")  # of the hub, of a header, of an address


def failure_report(status: EngineStatus, device: str | None, keys: Sequence[str] = (), secrets: Sequence[str] = ()) -> str:
    """Lines of plain text. device: as it was asked for, None where the engine chose. keys: STUDIO_API_KEYS, with their names or without.

    secrets: what engines were given and nobody is to see.
    """
    lines = (
        f"Engine: {status.info.title} ({status.info.id}), {status.state}",
        f"Reason: {status.reason}",
        f"Next step: {status.hint}" if status.hint else "",
        f"Device: {status.device or device or 'chosen by the engine'}",
        f"Versions: studio {__version__}, Python {platform.python_version()}{''.join(map(_version, PACKAGES))}",
        f"System: {platform.system()} {platform.release()}, {platform.machine()}",
    )
    report = "\n".join(_TOKENS.sub("<secret>", clean(line)) for line in lines if line)
    for secret in (*(named_key(written)[1] for written in keys), *secrets):
        report = report.replace(secret, "<secret>")
    return report


def _version(package: str) -> str:
    try:
        return f", {package} {version(package)}"
    except PackageNotFoundError:
        return ""
