"""Settings and EngineSettings: every setting as a field, with its default, its bounds, and its rules with other settings.

A field takes what is written into its variable: `Settings(hosts="a, b")` is what STUDIO_HOSTS="a, b" gives, and `Settings()` what an
empty environment does.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from engines.contract.options import Value
from studio.settings.dialect import OWN_DIALECT, VLLM_OMNI_DIALECT, Dialect
from studio.settings.written import REMOTE, SettingsInvalid, listed, read_aliases, read_remotes, read_speaker_aliases
from studio.workspace import named_key

__all__ = ["EngineSettings", "Settings"]

MEBIBYTE = 1024 * 1024
SPACE_HOURS = 24.0  # of a Space without storage, which loses everything at its next restart anyway
MOST_UNLOAD_MINUTES = 7 * 24 * 60.0
SPACE_UNLOAD_MINUTES = 10.0  # a Space shares 16 GB among all its engines, and sleeps for most of the day
SPACE_FRAME_ORIGINS = ("https://huggingface.co",)  # which shows a Space in a frame
SPEAKERS_DIR = Path("~/.cache/vllm-omni/speakers")


def _at_home(path: Path) -> Path:
    """With `~` as the folder that it means."""
    try:
        return path.expanduser()
    except RuntimeError:  # of `~` and a name that nobody has
        raise ValueError(f"nobody here has the folder {path.parts[0]!r}") from None


Folder = Annotated[Path, AfterValidator(_at_home)]
Listed = Annotated[tuple[str, ...], BeforeValidator(listed)]


# Defaults that follow from what else is set. earlier: the fields before, by name.


def _own_folder(earlier: dict[str, Any]) -> Path:
    storage = earlier["space_storage"]
    return storage / "speakers" if earlier["space_id"] and os.access(storage, os.W_OK) else SPEAKERS_DIR.expanduser()


def _own_workspaces(earlier: dict[str, Any]) -> Literal["shared", "private"]:
    return "private" if earlier["space_id"] or any(named_key(key)[0] for key in earlier["api_keys"]) else "shared"


def _own_hours(earlier: dict[str, Any]) -> float:
    return 0.0 if not earlier["space_id"] or earlier["speakers_dir"].is_relative_to(earlier["space_storage"]) else SPACE_HOURS


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

    # What the defaults of others follow from comes first.
    space_id: str | None = Field(None, title="SPACE_ID", description="Set by Hugging Face on a Space, where Gradio serves page and API.")
    space_author: str = Field(
        default_factory=lambda earlier: (earlier["space_id"] or "").partition("/")[0],
        title="SPACE_AUTHOR_NAME",
        description="Set by Hugging Face on a Space: whose it is.",
    )
    oauth_client_id: str | None = Field(
        None, title="OAUTH_CLIENT_ID", description="Set by Hugging Face on a Space with hf_oauth: visitors may sign in there."
    )
    zero_gpu: bool = Field(
        False, title="SPACES_ZERO_GPU", description="Set by Hugging Face on a Space of ZeroGPU, where a GPU is lent per call."
    )
    zero_gpu_size: Literal["large", "xlarge"] = Field(
        "large",
        title="STUDIO_ZERO_GPU_SIZE",
        description="What ZeroGPU lends for a call: large, half a card, for engines of 45 GB together, or xlarge, a whole one, "
        "at twice the visitor's GPU time.",
    )
    space_storage: Folder = Field(
        Path("/data"), title="STUDIO_SPACE_STORAGE", description="Where a Space's storage is mounted, which outlives a restart."
    )
    api_keys: Listed = Field(
        (), repr=False, title="STUDIO_API_KEYS", description="Keys, any of which opens API and page; `name:key` is that name's workspace."
    )
    owners: Listed = Field(
        default_factory=lambda earlier: (earlier["space_author"],) if earlier["space_author"] else (),
        title="STUDIO_OWNERS",
        description="Names at the Hub whose sign-in on a Space may change what all its visitors share; its author's when unset.",
    )
    speakers_dir: Folder = Field(
        default_factory=_own_folder, title="SPEAKER_SAMPLES_DIR", description="Folder of speakers and their prompts."
    )
    most_speakers: int = Field(1000, ge=1, title="SPEAKER_MAX_UPLOADED", description="How many speakers may be stored.")
    registration_policy: Literal["overwrite", "immutable"] = Field(
        "overwrite", title="VLLM_OMNI_SPEAKER_REGISTRATION_POLICY", description="Whether an upload may replace a speaker of the same name."
    )
    cache_max_bytes: int = Field(512 * MEBIBYTE, ge=0, title="SPEAKER_CACHE_MAX_BYTES", description="Memory for cached prompts, bytes.")
    cache_max_entries: int = Field(1024, ge=0, title="SPEAKER_CACHE_MAX_ENTRIES", description="How many prompts are cached.")
    engines: Listed | None = Field(
        None, title="STUDIO_ENGINES", description="Engines to offer, by id, comma separated; all of them when unset."
    )
    remotes: Annotated[Mapping[str, tuple[str, ...]], BeforeValidator(read_remotes)] = Field(
        default_factory=dict,
        title="STUDIO_REMOTES",
        description="Speech servers that are engines, name=address address, comma separated: each is remote_<name>, behind the others.",
    )
    default_engine: str = Field(
        "espeak",
        title="STUDIO_DEFAULT_ENGINE",
        description="Engine of a request that names none; unset, one that sounds natural on a CPU, where that is here and no GPU is.",
    )
    model_aliases: Annotated[Mapping[str, str], BeforeValidator(read_aliases)] = Field(
        default_factory=dict, title="STUDIO_MODEL_ALIASES", description="Other names of engines in `model`: name=engine, comma separated."
    )
    speaker_aliases: Annotated[Mapping[str, str], BeforeValidator(read_speaker_aliases)] = Field(
        default_factory=dict,
        title="STUDIO_VOICE_ALIASES",
        description="Other names of voices in `voice`: name=voice, comma separated, such as alloy=Ana for programs that say alloy.",
    )
    accept_licenses: Listed = Field(
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
        default_factory=lambda earlier: SPACE_UNLOAD_MINUTES if earlier["space_id"] else 0.0,
        ge=0,
        le=MOST_UNLOAD_MINUTES,
        title="STUDIO_UNLOAD_AFTER_MINUTES",
        description="How long an engine may be idle before it is unloaded; 0 for ever. 10 on a Space.",
    )
    warm_uploads: bool = Field(
        True, title="STUDIO_WARM_UPLOADS", description="Whether a new voice is extracted at once for the engines that are loaded."
    )
    learn_seconds: float | None = Field(
        None,
        ge=0,
        title="STUDIO_LEARN_SECONDS",
        description="What may be spent on making a voice more alike beside speech, seconds of a core; 0: learned at once only. "
        "90 when unset, 30 on a Space without a GPU.",
    )
    workspaces: Literal["shared", "private"] = Field(
        default_factory=_own_workspaces,
        title="STUDIO_WORKSPACES",
        description="Whether visitors share voices and history, or have their own.",
    )
    arena: Literal["own", "open"] = Field(
        "own",
        title="STUDIO_ARENA",
        description="Whose votes on blind pairs count in what wins: one's own, or, open, those of all visitors together.",
    )
    most_workspace_speakers: int = Field(20, ge=1, title="STUDIO_WORKSPACE_VOICES", description="Voices of one visitor, where kept apart.")
    workspace_hours: float = Field(
        default_factory=_own_hours,
        ge=0,
        title="STUDIO_WORKSPACE_HOURS",
        description="How long a visitor's voice and speeches are kept, hours; 0 for ever.",
    )
    cors_origins: Listed = Field(
        (), title="STUDIO_CORS_ORIGINS", description="Origins whose pages may call the API from a browser; * for any."
    )
    hosts: Listed = Field(
        (), title="STUDIO_HOSTS", description="Names by which a studio without keys may be asked for, beside its own; * for any."
    )
    frame_origins: Listed = Field(
        default_factory=lambda earlier: SPACE_FRAME_ORIGINS if earlier["space_id"] else (),
        title="STUDIO_FRAME_ORIGINS",
        description="Origins whose pages may show the page in a frame; * for any. huggingface.co on a Space.",
    )
    allow_remote_audio: bool = Field(
        False, title="STUDIO_ALLOW_REMOTE_AUDIO", description="Whether reference audio may be an http(s) URL, of a public address."
    )
    allowed_local_media: Folder | None = Field(
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
    dialect: Dialect = Field(
        default_factory=lambda earlier: VLLM_OMNI_DIALECT if earlier["strict_compat"] else OWN_DIALECT,
        repr=False,
        description="How requests are taken and answered where we deviate, by STUDIO_STRICT_COMPAT.",
    )
    mcp: bool = Field(False, title="STUDIO_MCP", description="Whether agents find tools by MCP, at /mcp and /gradio_api/mcp/.")
    root_path: str = Field("", title="STUDIO_ROOT_PATH", description="Path below which a proxy shows the studio, such as /studio.")
    engine_settings: Mapping[str, EngineSettings] = Field(
        default_factory=dict,
        validate_default=True,
        description="Per engine, the id in capitals: <ENGINE>_CHECKPOINT, <ENGINE>_DEVICE, <ENGINE>_DTYPE, <ENGINE>_<one of its own>.",
    )
    engine_secrets: tuple[str, ...] = Field((), repr=False, description="Values of engines' secret options, which are shown nowhere.")

    @field_validator("engine_settings", mode="after")
    @classmethod
    def _with_addresses(cls, chosen: Mapping[str, EngineSettings], info: ValidationInfo) -> Mapping[str, EngineSettings]:
        """And a remote engine's are its checkpoint."""
        remotes = info.data.get("remotes", {})
        return {**chosen, **{name: _at(chosen.get(name, EngineSettings()), addresses) for name, addresses in remotes.items()}}

    @model_validator(mode="after")
    def _check_together(self, info: ValidationInfo) -> Self:
        """The validation's context: ids of the engines that there are, where that is known."""
        _check_engines(self, tuple(info.context or ()))
        if sys.platform == "win32" and self.allowed_local_media is not None:
            raise SettingsInvalid(
                "STUDIO_ALLOWED_LOCAL_MEDIA does not go on Windows, which opens no file relative to a folder: a link could lead out of it. "
                "Unset it, and send recordings as uploads."
            )
        return self

    @property
    def space_page(self) -> str:
        """The address of the Space's page at the Hub, in whose frame the studio stands; "" where it is none."""
        return f"{SPACE_FRAME_ORIGINS[0]}/spaces/{self.space_id}" if self.space_id else ""

    @property
    def is_lasting(self) -> bool:
        """Whether speakers outlive a restart: anywhere but on a Space, and there in its mounted storage."""
        return self.space_id is None or self.speakers_dir.is_relative_to(self.space_storage)

    @property
    def has_login(self) -> bool:
        """Whether visitors may sign in with the Hub: they find their voices wherever they do, and an owner is known by it."""
        return self.space_id is not None and self.oauth_client_id is not None and not self.api_keys

    @property
    def has_visitors(self) -> bool:
        """Whether some who reach the studio do not run it: on a Space, and where voices are kept apart."""
        return self.space_id is not None or self.workspaces == "private"

    @property
    def sockets_each(self) -> int:
        """That a listener takes: where speech comes from servers elsewhere one more than the own."""
        return 2 if self.remotes else 1

    def for_engine(self, name: str) -> EngineSettings:
        return self.engine_settings.get(name, EngineSettings())

    def hosts_of(self, engine: str) -> tuple[str, ...]:
        """Where a remote engine runs: host and port of each of its addresses, in their order; () of any other engine."""
        return tuple(urlsplit(address).netloc for address in self.remotes.get(engine, ()))


def _at(chosen: EngineSettings, addresses: tuple[str, ...]) -> EngineSettings:
    return chosen.model_copy(update={"checkpoint": " ".join(addresses)})


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
