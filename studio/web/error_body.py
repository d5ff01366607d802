"""error_body: the JSON of an answer that is not a success. Every HTTP door uses it."""

__all__ = ["error_body"]


def error_body(status: int, message: str, kind: str, param: str | None = None, **ours: object) -> dict[str, object]:
    """vLLM-Omni's envelope. ours: `hint`, `reason_code` and `values`, absent where there is nothing to say."""
    error = {"message": message, "type": kind, "param": param, "code": status}
    return {"error": error | {name: said for name, said in ours.items() if said}}
