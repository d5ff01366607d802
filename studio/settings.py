"""Settings: the one place that reads the environment, once, into one frozen object. Unknown STUDIO_ variables are errors."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engines.contract.options import Option, Value
from engines.errors import OptionInvalid
from studio.workspace import named_key

__all__ = ["EngineSettings", "Settings", "SettingsInvalid", "current_environment", "read_settings"]

MEBIBYTE = 1024 * 1024
SPACE_HOURS = 24.0  # of a Space without storage, which loses everything at its next restart anyway
MOST_UNLOAD_MINUTES = 7 * 24 * 60.0
SPACE_UNLOAD_MINUTES = 10.0  # a Space shares 16 GB among all its engines, and sleeps for most of the day
SPACE_FRAME_ORIGINS = ("https://huggingface.co",)  # which shows a Space in a frame
LISTS = {"engines", "accept_licences", "api_keys", "cors_origins", "hosts", "frame_origins"}  # comma separated
REMOTE = "remote"  # in the catalog; an engine of it is called so, with "_" and a name of STUDIO_REMOTES behind it
REMOTE_NAME = re.compile(r"[a-z0-9_]{1,24}")
CREDENTIALS = re.compile(r"(?<=//)[^/\s]*@")  # of an address, which no message shows


class SettingsInvalid(ValueError):
    """An environment variable is unknown or has a value that cannot be used; the message names it."""


class EngineSettings(BaseModel):
    """Where one engine's weights are, where it computes, and its own load options; None leaves the choice to the engine.

    checkpoint: of a remote engine its base addresses, with blanks between them. options: not in the repr, since there may be keys in them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    checkpoint: str | None = None
    device: str | None = None
    dtype: str | None = None
    options: Mapping[str, Value] = Field(default_factory=dict, repr=False)


class Settings(BaseModel):
    """Everything that can be set from outside. Each field's description is its documentation; `title` is the variable's name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    speakers_dir: Path = Field(
        Path("~/.cache/vllm-omni/speakers"), title="SPEAKER_SAMPLES_DIR", description="Folder of speakers and their prompts."
    )
    most_speakers: int = Field(1000, ge=1, title="SPEAKER_MAX_UPLOADED", description="How many speakers may be stored.")
    registration_policy: Literal["overwrite", "immutable"] = Field(
        "overwrite", title="VLLM_OMNI_SPEAKER_REGISTRATION_POLICY", description="Whether an upload may replace a speaker of the same name."
    )
    cache_max_bytes: int = Field(512 * MEBIBYTE, ge=0, title="SPEAKER_CACHE_MAX_BYTES", description="Memory for cached prompts, bytes.")
    cache_max_entries: int = Field(1024, ge=0, title="SPEAKER_CACHE_MAX_ENTRIES", description="How many prompts are cached.")
    engines: tuple[str, ...] | None = Field(
        None, title="STUDIO_ENGINES", description="Engines to offer, by id, comma separated; all of them when unset."
    )
    remotes: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict,
        title="STUDIO_REMOTES",
        description="Speech servers that are engines, name=address address, comma separated: each is remote_<name>, behind the others.",
    )
    default_engine: str = Field(
        "espeak",
        title="STUDIO_DEFAULT_ENGINE",
        description="Engine of a request that names none; unset, one that sounds natural on a CPU, where that is here and no GPU is.",
    )
    model_aliases: Mapping[str, str] = Field(
        default_factory=dict, title="STUDIO_MODEL_ALIASES", description="Other names of engines in `model`: name=engine, comma separated."
    )
    accept_licences: tuple[str, ...] = Field(
        (), title="STUDIO_ACCEPT_LICENCES", description="Engines whose licences are accepted though they forbid uses, comma separated."
    )
    most_waiting: int = Field(
        64, ge=1, title="STUDIO_MAX_WAITING", description="Requests that may wait per engine; beyond it the answer is 503."
    )
    admit: Literal["sustainable", "all"] = Field(
        "sustainable",
        title="STUDIO_ADMIT",
        description="Whether a stream waits that would make others run dry, or all begin at once.",
    )
    most_wait_seconds: float = Field(
        30.0, ge=0, title="STUDIO_MAX_WAIT_SECONDS", description="How long such a stream waits; then the answer is 503 with Retry-After."
    )
    most_ahead_seconds: float = Field(
        30.0,
        gt=0,
        title="STUDIO_MAX_AHEAD_SECONDS",
        description="Audio kept ready per stream for a listener slower than the engine, seconds.",
    )
    most_connections: int = Field(
        512,
        ge=1,
        title="STUDIO_MAX_CONNECTIONS",
        description="Connections at a time, of which a browser has up to six; beyond it the answer is 503.",
    )
    most_text_characters: int = Field(
        20_000,
        ge=1,
        title="STUDIO_MAX_TEXT_CHARACTERS",
        description="Length of a text; beyond an engine's own limit it is spoken in parts.",
    )
    most_audio_seconds: float = Field(
        1800.0,
        gt=0,
        title="STUDIO_MAX_AUDIO_SECONDS",
        description="Audio of one request, or of one batch, in whole files, seconds; beyond it the answer is 400. Streams have no bound.",
    )
    most_batch_items: int = Field(32, ge=1, title="STUDIO_MAX_BATCH_ITEMS", description="Items of one batch request.")
    most_history_entries: int = Field(
        200, ge=0, title="STUDIO_MAX_HISTORY", description="Speeches of the page kept to be heard again, 200 MB at most; 0 keeps none."
    )
    unload_after_minutes: float = Field(
        0.0,
        ge=0,
        le=MOST_UNLOAD_MINUTES,
        title="STUDIO_UNLOAD_AFTER_MINUTES",
        description="How long an engine may be idle before it is unloaded; 0 for ever. 10 on a Space.",
    )
    warm_uploads: bool = Field(
        True, title="STUDIO_WARM_UPLOADS", description="Whether a new voice is extracted at once for the engines that are loaded."
    )
    api_keys: tuple[str, ...] = Field(
        (), repr=False, title="STUDIO_API_KEYS", description="Keys, any of which opens API and page; `name:key` is that name's workspace."
    )
    workspaces: Literal["shared", "private"] = Field(
        "shared", title="STUDIO_WORKSPACES", description="Whether visitors share voices and history, or have their own."
    )
    most_workspace_speakers: int = Field(20, ge=1, title="STUDIO_WORKSPACE_VOICES", description="Voices of one visitor, where kept apart.")
    workspace_hours: float = Field(
        0.0, ge=0, title="STUDIO_WORKSPACE_HOURS", description="How long a visitor's voice and speeches are kept, hours; 0 for ever."
    )
    cors_origins: tuple[str, ...] = Field(
        (), title="STUDIO_CORS_ORIGINS", description="Origins whose pages may call the API from a browser; * for any."
    )
    hosts: tuple[str, ...] = Field(
        (), title="STUDIO_HOSTS", description="Names by which a studio without keys may be asked for, beside its own; * for any."
    )
    frame_origins: tuple[str, ...] = Field(
        (),
        title="STUDIO_FRAME_ORIGINS",
        description="Origins whose pages may show the page in a frame; * for any. huggingface.co on a Space.",
    )
    allow_remote_audio: bool = Field(
        False, title="STUDIO_ALLOW_REMOTE_AUDIO", description="Whether reference audio may be an http(s) URL, of a public address."
    )
    allowed_local_media: Path | None = Field(
        None, title="STUDIO_ALLOWED_LOCAL_MEDIA", description="Folder below which reference audio may be a file URL."
    )
    transcriber: str | None = Field(
        None,
        title="STUDIO_TRANSCRIBER",
        description="Weights that write down what is said in a recording: a folder, or their hub's id. Those of `make ears` when unset.",
    )
    strict_compat: bool = Field(
        False, title="STUDIO_STRICT_COMPAT", description="Whether to answer as vLLM-Omni 0.30.0 does where we deviate from it."
    )
    space_id: str | None = Field(None, title="SPACE_ID", description="Set by Hugging Face on a Space, where Gradio serves page and API.")
    oauth_client_id: str | None = Field(
        None, title="OAUTH_CLIENT_ID", description="Set by Hugging Face on a Space with hf_oauth: visitors may sign in there."
    )
    zero_gpu: bool = Field(
        False, title="SPACES_ZERO_GPU", description="Set by Hugging Face on a Space of ZeroGPU, where a GPU is lent per call."
    )
    space_storage: Path = Field(
        Path("/data"), title="STUDIO_SPACE_STORAGE", description="Where a Space's storage is mounted, which outlives a restart."
    )
    mcp: bool = Field(False, title="STUDIO_MCP", description="Whether agents may use the page's endpoints as MCP tools.")
    root_path: str = Field("", title="STUDIO_ROOT_PATH", description="Path below which a proxy shows the studio, such as /studio.")
    engine_settings: Mapping[str, EngineSettings] = Field(
        default_factory=dict,
        description="Per engine, the id in capitals: <ENGINE>_CHECKPOINT, <ENGINE>_DEVICE, <ENGINE>_DTYPE, <ENGINE>_<one of its own>.",
    )
    engine_secrets: tuple[str, ...] = Field((), repr=False, description="Values of engines' secret options, which are shown nowhere.")

    @property
    def is_lasting(self) -> bool:
        """Whether speakers outlive a restart: anywhere but on a Space, and there in its mounted storage."""
        return self.space_id is None or self.speakers_dir.is_relative_to(self.space_storage)

    @property
    def has_login(self) -> bool:
        """Whether visitors may sign in with the Hub, and find their voices wherever they do."""
        return self.space_id is not None and self.oauth_client_id is not None and self.workspaces == "private" and not self.api_keys

    @property
    def sockets_each(self) -> int:
        """That a listener takes: where speech comes from servers elsewhere one more than the own."""
        return 2 if self.remotes else 1

    def for_engine(self, name: str) -> EngineSettings:
        return self.engine_settings.get(name, EngineSettings())

    def hosts_of(self, engine: str) -> tuple[str, ...]:
        """Where a remote engine runs: host and port of each of its addresses, in their order; () of any other engine."""
        return tuple(urlsplit(address).netloc for address in self.remotes.get(engine, ()))


def read_settings(
    environment: Mapping[str, str] | None = None,
    *,
    engines: Mapping[str, tuple[Option, ...]] = MappingProxyType({}),
    remote: Callable[[], tuple[Option, ...]] = tuple,
) -> Settings:
    """Settings from environment variables (the process's own when None). Raises SettingsInvalid.

    engines: ids and their load options. remote: load options of a remote engine, asked for where there is one.
    """
    environment = os.environ if environment is None else environment
    titles = {field.title: name for name, field in Settings.model_fields.items() if field.title}
    unknown = sorted(name for name in environment if name.startswith("STUDIO_") and name not in titles)
    if unknown:
        known = ", ".join(sorted(title for title in titles if title.startswith("STUDIO_")))
        raise SettingsInvalid(f"Unknown setting {', '.join(unknown)}. Known: {known}.")
    values: dict[str, object] = {field: environment[title] for title, field in titles.items() if environment.get(title)}
    for listed in LISTS & values.keys():
        values[listed] = tuple(filter(None, (part.strip() for part in str(values[listed]).split(","))))
    if "model_aliases" in values:
        values["model_aliases"] = _aliases(str(values["model_aliases"]))
    storage = Path(str(values.get("space_storage", Settings.model_fields["space_storage"].default)))
    if "space_id" in values and "speakers_dir" not in values and os.access(storage, os.W_OK):
        values["speakers_dir"] = storage / "speakers"
    if "space_id" in values or any(named_key(key)[0] for key in values.get("api_keys", ())):
        values.setdefault("workspaces", "private")
    if "space_id" in values:
        values.setdefault("unload_after_minutes", SPACE_UNLOAD_MINUTES)
        values.setdefault("frame_origins", SPACE_FRAME_ORIGINS)
    remotes = values["remotes"] = _remotes(str(values.get("remotes", "")))
    declared = dict(engines) | {name: remote() for name in remotes}
    chosen = values["engine_settings"] = {name: _engine_settings(environment, name, own) for name, own in engines.items()}
    for name, addresses in remotes.items():
        _check_remote(environment, name, declared)
        chosen[name] = _engine_settings(environment, name, declared[name]).model_copy(update={"checkpoint": " ".join(addresses)})
    secret = {(name, option.name) for name, own in declared.items() for option in own if option.kind == "secret"}
    values["engine_secrets"] = tuple(str(its.options[key]) for name, its in chosen.items() for key in its.options if (name, key) in secret)
    try:
        settings = Settings(**values)
    except ValidationError as error:
        first = error.errors()[0]
        title = Settings.model_fields[str(first["loc"][0])].title
        raise SettingsInvalid(f"{title}={first['input']!r}: {first['msg']}.") from None
    _check_engines(settings, tuple(engines))
    if settings.mcp and settings.api_keys:
        raise SettingsInvalid(
            "STUDIO_MCP=1 does not go with STUDIO_API_KEYS: Gradio's tools call the page, which asks for a key. Unset one."
        )
    local = settings.allowed_local_media
    update: dict[str, object] = {"speakers_dir": settings.speakers_dir.expanduser(), "allowed_local_media": local and local.expanduser()}
    if not settings.is_lasting and "workspace_hours" not in values:
        update["workspace_hours"] = SPACE_HOURS
    return settings.model_copy(update=update)


def current_environment(*, without_settings: bool = False) -> dict[str, str]:
    """A copy of the process's environment, for a child process; on request without the studio's own variables."""
    titles = {field.title for field in Settings.model_fields.values() if field.title}
    return {name: value for name, value in os.environ.items() if not (without_settings and name in titles)}


def _engine_settings(environment: Mapping[str, str], name: str, own: tuple[Option, ...]) -> EngineSettings:
    given = {key: environment.get(f"{name}_{key}".upper()) or None for key in ("checkpoint", "device", "dtype")}
    options: dict[str, Value] = {}
    for option in own:
        title = f"{name}_{option.name}".upper()
        if environment.get(title):
            try:
                options[option.name] = option.parse(environment[title])
            except OptionInvalid as error:
                shown = title if option.kind == "secret" else f"{title}={environment[title]!r}"
                raise SettingsInvalid(f"{shown}: {error.fact}") from None
    return EngineSettings(**given, options=options)


def _remotes(text: str) -> dict[str, tuple[str, ...]]:
    """Engine id -> addresses, of "name=address address, name=address"."""
    remotes: dict[str, tuple[str, ...]] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, mark, addresses = (piece.strip() for piece in part.partition("="))
        shown = CREDENTIALS.sub("", part)
        if not mark or "/" in name or not addresses:
            raise SettingsInvalid(f"STUDIO_REMOTES has {shown!r}; write name=address, such as gpu=http://10.0.0.5:8091.")
        if not REMOTE_NAME.fullmatch(name):
            raise SettingsInvalid(f"STUDIO_REMOTES has the name {name!r}; a name is of a-z, 0-9 and _, at most 24 of them.")
        if f"{REMOTE}_{name}" in remotes:
            hint = "Write all addresses of one model behind one name, with blanks between them, or choose another name."
            raise SettingsInvalid(f"STUDIO_REMOTES has the name {name!r} twice. {hint}")
        remotes[f"{REMOTE}_{name}"] = tuple(dict.fromkeys(_address(name, address) for address in addresses.split()))
    return remotes


def _address(name: str, address: str) -> str:
    """The base address of a server, without a slash at its end."""
    shown = CREDENTIALS.sub("", address)
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port  # which a port of letters has not
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or not address.isprintable():
        raise SettingsInvalid(f"STUDIO_REMOTES has {shown!r} for {name!r}; an address begins with http:// or https:// and names a host.")
    if "@" in parts.netloc:
        raise SettingsInvalid(
            f"STUDIO_REMOTES has a name or password in an address of {name!r}; put a key into {f'{REMOTE}_{name}_key'.upper()}."
        )
    if parts.query or parts.fragment:
        raise SettingsInvalid(f"STUDIO_REMOTES has {parts.hostname!r} with something behind a ? or #; leave that out.")
    return address.rstrip("/")


def _check_remote(environment: Mapping[str, str], engine: str, declared: Mapping[str, tuple[Option, ...]]) -> None:
    """Nothing is set of a remote engine that it does not have: a key with a misspelt name would be sent to nobody."""
    known = {f"{name}_{option.name}".upper() for name, own in declared.items() for option in own}
    own = [f"{engine}_{option.name}".upper() for option in declared[engine]]
    other = [name for name in sorted(environment) if name.startswith(f"{engine}_".upper()) and name not in known]
    of_others = tuple(f"{name}_".upper() for name in declared if name != engine and name.startswith(f"{engine}_"))
    unknown = [name for name in other if environment[name] and not (of_others and name.startswith(of_others))]
    if unknown:
        raise SettingsInvalid(f"Unknown setting {', '.join(unknown)}. Known of {engine}: {', '.join(own) or 'none'}.")


def _aliases(text: str) -> dict[str, str]:
    """Name -> engine, of "name=engine, name=engine"."""
    aliases: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, engine = map(str.strip, part.rpartition("="))
        if not name or not engine:
            raise SettingsInvalid(f"STUDIO_MODEL_ALIASES has {part!r}; write name=engine, such as tts-1=espeak.")
        if aliases.setdefault(name, engine) != engine:
            raise SettingsInvalid(f"STUDIO_MODEL_ALIASES has {name!r} twice, for {aliases[name]!r} and for {engine!r}; leave one.")
    return aliases


def _check_engines(settings: Settings, engine_ids: tuple[str, ...]) -> None:
    remotes = tuple(settings.remotes)
    named = {"STUDIO_ENGINES": settings.engines or (), "STUDIO_DEFAULT_ENGINE": (settings.default_engine,)}
    for title, names in (named | {"STUDIO_MODEL_ALIASES": tuple(settings.model_aliases.values())}).items():
        _check_remotes_named(title, names, remotes)
    known = (*engine_ids, *remotes) if engine_ids else ()
    offered = known if settings.engines is None else tuple(dict.fromkeys((*settings.engines, *remotes)))
    for name in offered:
        if known and name not in known:
            raise SettingsInvalid(f"STUDIO_ENGINES names {name!r}; there are {', '.join(known)}.")
    if offered and settings.default_engine not in offered:
        raise SettingsInvalid(f"STUDIO_DEFAULT_ENGINE={settings.default_engine!r} is not among the offered engines {', '.join(offered)}.")
    for name, engine in settings.model_aliases.items():
        if name in known:
            raise SettingsInvalid(f"STUDIO_MODEL_ALIASES has {name!r}, which is an engine's own id; choose another name.")
        if offered and engine not in offered:
            raise SettingsInvalid(f"STUDIO_MODEL_ALIASES has {name!r} for {engine!r}; the offered engines are {', '.join(offered)}.")


def _check_remotes_named(title: str, names: Iterable[str], remotes: tuple[str, ...]) -> None:
    for engine in names:
        name = engine.removeprefix(f"{REMOTE}_")
        if name != engine and engine not in remotes:
            raise SettingsInvalid(f"{title} names {engine!r}, and STUDIO_REMOTES has no {name!r}; add {name}=http://its-host:port to it.")
