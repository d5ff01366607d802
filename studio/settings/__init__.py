"""Settings: the one place that reads the environment, once, into one frozen object. Unknown STUDIO_ variables are errors."""

from studio.settings.environment import current_environment, read_settings
from studio.settings.settings import EngineSettings, Settings
from studio.settings.written import REMOTE, SettingsInvalid

__all__ = ["REMOTE", "EngineSettings", "Settings", "SettingsInvalid", "current_environment", "read_settings"]
