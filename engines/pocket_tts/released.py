"""The released models: sizes, rules of text, and the pinned place of each file. No torch here; tests/released compares with the makers'
files.

Facts are those of the package pocket-tts 4.0.1 (config/*.yaml), which pins the revisions; models of one language differ from each other in
little else. Sizes of files: `english` and `french_24l` were seen, others follow from names, shapes and bfloat16.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from engines.pocket_tts.config import (
    BackboneConfig,
    CodecTransformerConfig,
    FlowLmConfig,
    HeadConfig,
    PocketConfig,
    SeanetConfig,
    TextRules,
    TokenTableConfig,
    VaeConfig,
)

__all__ = ["GATED", "OPEN", "ReleasedModel", "released_model"]

GATED = "kyutai/pocket-tts"  # whose terms are to be accepted on its page
OPEN = "kyutai/pocket-tts-without-voice-cloning"


@dataclass(frozen=True)
class ReleasedModel:
    """language: "en". weights, open_weights: (repository, revision) of languages/<variant>/model.safetensors, of which the open one has an
    encoder of zeros. tokenizer: (repository, revision, path in it). n_bytes: of the weights' file.
    """

    variant: str
    language: str
    config: PocketConfig
    weights: tuple[str, str]
    open_weights: tuple[str, str]
    tokenizer: tuple[str, str, str]
    n_bytes: int


def released_model(variant: str) -> ReleasedModel:
    """variant: one of VARIANTS (options.py); anything else is a KeyError."""
    row = _ROWS[variant]
    config = _sized(row.size, TextRules(**_TEXT[_rules_of(variant, row)]))
    if variant == "english_2026-01":
        config = replace(config, flow_lm=replace(config.flow_lm, insert_bos_before_voice=False), mimi=replace(config.mimi, inner_dim=512))
    tokenizer = (OPEN, _revision(row.tokenizer), row.path or f"languages/{variant}/{_FILES[config.tokenizer]}")
    weights, open_weights = (GATED, _revision(row.gated)), (OPEN, _revision(row.open))
    return ReleasedModel(variant, row.language, config, weights, open_weights, tokenizer, row.n_bytes or _BYTES[row.size])


class _Row(NamedTuple):
    """gated, open, tokenizer: of what revision, by its first digits. path: of the tokenizer, where it is not beside the weights."""

    language: str
    size: str
    gated: str
    open: str
    tokenizer: str
    path: str = ""
    n_bytes: int = 0


_REVISIONS = """
    00eac05ed3d16bdc3f6b5d598874019c34a89214 08ffc58775e62aad9409511b9591c9af626270f3 19f95fe2df36e79fbd9f10008595cc4c977a0fcc
    1e08e6a23401048648a9fdcfde2f89348215c2a7 2dd944b099d06bb9edbd221fef138685711d9bf0 39592ff23c9ef80098bb74895d104c26275fe2c9
    3e82814a68665eec246ff649b14c71331f955c06 492522650173a0653b7575cdc25ae09810e5d741 4e1e0a3e611c51c0b4ed8174fc10f32a54644303
    575d14372df89a4534bcb989870a34e77544b09f 75cfe24e3142233bb81887fed3482e9652bb4a6e 7f364c05d1be3faf2b234cdbe4cbb68a026d4218
    8843db76457a91db32077edf8dfcd1c0e3e755fd 983151f13aaeab1b13c1e5e3c2c383d49a9edf3f a5ce31f3eba7a3b0cb9c24ba2015b098f278eaae
    a7056f505a4a8ca72d8b5fb1440071d6f1a35739 d29db7978e464fb90cb3359ee0c69a273b9142cc db04f0e653473e5c7333c69686ac92b7460b0c1d
    e7205b6ee50e654a5ea19f0e9df2b0813b05e921 e81d79e8194ad4c7ce879c87a4258ef20cbf2487
"""
_FILES = {"tokenizers": "tokenizer.json", "sentencepiece": "tokenizer.model"}
_BYTES = {
    "100M": 219_029_196, "24l": 672_178_676, "drifting": 217_448_348, "18M": 55_882_628, "7M": 33_259_724, "2M": 23_369_348,
}  # fmt: skip
_SEPTEMBER = "languages/english_2026-09/tokenizer.json"

_ROWS = {
    "english": _Row("en", "100M", "db04", "a705", "00ea"),
    "english_2026-10": _Row("en", "100M", "db04", "a705", "00ea", _SEPTEMBER),
    "english_2026-09": _Row("en", "100M", "9831", "e720", "00ea"),
    "english_2026-09_2": _Row("en", "100M", "7f36", "575d", "00ea", _SEPTEMBER),
    "english_2026-09_24l": _Row("en", "24l", "9831", "e720", "00ea"),
    "english_2026-04": _Row("en", "100M", "19f9", "d29d", "00ea"),
    "english_2026-04_24l": _Row("en", "24l", "4925", "e81d", "00ea"),
    "english_2026-01": _Row("en", "100M", "3959", "d29d", "00ea", "tokenizer.json", 235_738_732),
    "english_drifting_26-09": _Row("en", "drifting", "75cf", "a5ce", "00ea", _SEPTEMBER),
    **{
        f"english_{size.lower()}{tuned}_2026-10": _Row("en", size, "db04", "a705", "08ff")
        for size in ("18M", "7M", "2M") for tuned in ("", "_refl")
    },
    "french": _Row("fr", "100M", "3e82", "1e08", "8843"),
    "french_24l": _Row("fr", "24l", "3e82", "1e08", "8843"),
    "german": _Row("de", "100M", "3e82", "1e08", "4e1e"),
    "german_24l": _Row("de", "24l", "2dd9", "4e1e", "4e1e"),
    "italian": _Row("it", "100M", "3e82", "1e08", "4e1e"),
    "italian_24l": _Row("it", "24l", "3e82", "1e08", "4e1e"),
    "portuguese": _Row("pt", "100M", "3e82", "1e08", "4e1e"),
    "portuguese_24l": _Row("pt", "24l", "2dd9", "4e1e", "4e1e"),
    "spanish": _Row("es", "100M", "3e82", "1e08", "4e1e"),
    "spanish_24l": _Row("es", "24l", "2dd9", "4e1e", "4e1e"),
    "dutch": _Row("nl", "100M", "3e82", "1e08", "4e1e"),
    "dutch_24l": _Row("nl", "24l", "2dd9", "4e1e", "4e1e"),
}  # fmt: skip

# Characters that the training text of a language does not have.
_CURLY = {"’": "'", "‘": "'"}
_QUOTES_AND_BRACKETS = dict.fromkeys('"“”„«»()[]', "")
_DASH = {"–": ","}
_EUROPEAN = _CURLY | _QUOTES_AND_BRACKETS | _DASH
_TEXT = {
    rules: {"replace_characters": MappingProxyType(replaced), **others}
    for rules, replaced, others in (
        ("en", _CURLY, {}),
        ("en, first", _CURLY, {"pad_with_spaces_for_short_inputs": True}),
        ("en, small", _CURLY | _DASH | {"—": ","}, {}),
        ("fr", _EUROPEAN | {":": ","}, {"remove_semicolons": True}),
        ("de", _EUROPEAN | {"—": ","}, {"remove_semicolons": True}),
        ("it", _EUROPEAN, {}),
        ("pt", _EUROPEAN, {}),
        ("es", _EUROPEAN | {"¡": "", "¿": ""}, {}),
        ("nl", _EUROPEAN, {}),
    )
}


def _rules_of(variant: str, row: _Row) -> str:
    if variant == "english_2026-01":
        return "en, first"
    return "en, small" if row.size in _SMALL else row.language


def _revision(digits: str) -> str:
    (revision,) = (known for known in _REVISIONS.split() if known.startswith(digits))
    return revision


# Of the small ones: the backbone, its heads, rank of the table of text, and the decoder's filters and layers.
_SMALL = {
    "18M": (BackboneConfig(512, 8, 8, hidden_scale=1), HeadConfig(4, 192, "drifting"), None, 32, 12),
    "7M": (BackboneConfig(224, 8, 8, hidden_scale=1, attn_dim=512, num_kv_heads=2), HeadConfig(4, 192, "drifting"), 64, 32, 12),
    "2M": (
        BackboneConfig(112, 3, 8, hidden_scale=1, attn_dim=192, num_kv_heads=1, dim_feedforward=96),
        HeadConfig(4, 64, "pointwise"),
        32, 24, 4,
    ),
}  # fmt: skip


def _sized(size: str, text: TextRules) -> PocketConfig:
    if size not in _SMALL:
        backbone = BackboneConfig(1024, 16, num_layers=24 if size == "24l" else 6)
        head = HeadConfig(6, 512, "drifting" if size == "drifting" else "lsd")
        flow_lm = FlowLmConfig(head, backbone, TokenTableConfig(1024, 4000), insert_bos_before_voice=True)
        return PocketConfig(flow_lm, _codec(), text)
    backbone, head, rank, filters, layers = _SMALL[size]
    table = TokenTableConfig(backbone.d_model, 4000, rank)
    flow_lm = FlowLmConfig(head, backbone, table, insert_bos_before_voice=True, z_dim=64)
    return PocketConfig(flow_lm, _codec(filters, layers), text, tokenizer="sentencepiece", default_eos_threshold=-1.0)


def _codec(filters: int = 0, layers: int = 0) -> VaeConfig:
    """filters, layers: of a small decoder; without, it has the encoder's sizes."""
    seanet = SeanetConfig(512, 64, (6, 5, 4), kernel_size=7, residual_kernel_size=3, last_kernel_size=3, compress=2)
    transformer = CodecTransformerConfig(d_model=512, num_heads=8, num_layers=2, context=250, dim_feedforward=2048)
    if not filters:
        return VaeConfig(seanet, transformer, seanet, transformer, inner_dim=32, latent_dim=32, outer_dim=512)
    small = replace(seanet, dimension=128, n_filters=filters, kernel_size=3)
    narrow = CodecTransformerConfig(d_model=128, num_heads=4, num_layers=layers, context=50, dim_feedforward=384)
    return VaeConfig(seanet, transformer, small, narrow, inner_dim=32, latent_dim=32, outer_dim=128)
