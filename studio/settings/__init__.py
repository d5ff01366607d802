"""Settings: the one place that reads the environment, once, into one frozen object. Unknown STUDIO_ variables are errors."""

from studio.settings.dialect import OWN_DIALECT, VLLM_OMNI_DIALECT, Dialect
from studio.settings.environment import current_environment, read_settings
from studio.settings.settings import EngineSettings, Settings
from studio.settings.written import REMOTE, SettingsInvalid

__all__ = [
    "OWN_DIALECT",
    "REMOTE",
    "VLLM_OMNI_DIALECT",
    "Dialect",
    "EngineSettings",
    "Settings",
    "SettingsInvalid",
    "current_environment",
    "read_settings",
]
