"""What is installed only with an extra: an environment for tests has it not, and what is taken from it is not checked."""

from typing import Any

def __getattr__(name: str) -> Any: ...
