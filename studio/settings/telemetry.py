"""refuse_telemetry: libraries that tell their makers of their use are told not to. A studio tells nobody what is said in it."""

import os

__all__ = ["refuse_telemetry"]


def refuse_telemetry() -> None:
    """To be called before onnxruntime is imported, by us or by another library. What somebody has set stays.

    onnxruntime 1.32 sends events over HTTPS and keeps an identifier of the machine, unless it finds this when it is loaded (Privacy.md).
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
