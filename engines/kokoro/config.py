"""KokoroConfig: the sizes of a Kokoro checkpoint, from its config.json, checked and frozen. The defaults are those of the release."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import Size, fixed, schema, without_effect
from engines.kokoro.voices.voice_table import MOST_SYMBOLS

__all__ = ["SAMPLE_RATE", "VOCAB", "AlbertSizes", "GeneratorSizes", "KokoroConfig"]

FILE = "config.json"
SAMPLE_RATE = 24_000  # of every Kokoro; its files do not say it
STYLE_WIDTH, HALF_FRAME_SAMPLES = 128, 300  # of the release, which what is shipped here is made for
N_ROUNDS = 3  # of a residual block: istftnet.py of kokoro 0.9.4 has three rounds, whatever the file says
OTHER = "Use hexgrad/Kokoro-82M."

# Numbers of the symbols, as config.json of the release has them. 0 stands before and behind every text; some numbers stand for nothing.
_NUMBERED = (
    '1; 2: 3, 4. 5! 6? 9— 10… 11" 12( 13) 14“ 15” 17̃ 18ʣ 19ʥ 20ʦ 21ʨ 22ᵝ 23ꭧ 24A 25I 31O 33Q 35S 36T 39W 41Y 42ᵊ 43a 44b 45c 46d 47e 48f '
    "50h 51i 52j 53k 54l 55m 56n 57o 58p 59q 60r 61s 62t 63u 64v 65w 66x 67y 68z 69ɑ 70ɐ 71ɒ 72æ 75β 76ɔ 77ɕ 78ç 80ɖ 81ð 82ʤ 83ə 85ɚ 86ɛ "
    "87ɜ 90ɟ 92ɡ 99ɥ 101ɨ 102ɪ 103ʝ 110ɯ 111ɰ 112ŋ 113ɳ 114ɲ 115ɴ 116ø 118ɸ 119θ 120œ 123ɹ 125ɾ 126ɻ 128ʁ 129ɽ 130ʂ 131ʃ 132ʈ 133ʧ 135ʊ "
    "136ʋ 138ʌ 139ɣ 140ɤ 142χ 143ʎ 147ʒ 148ʔ 156ˈ 157ˌ 158ː 162ʰ 164ʲ 169↓ 171→ 172↗ 173↘ 177ᵻ"
)
VOCAB: Mapping[str, int] = MappingProxyType({" ": 16} | {item[-1]: int(item[:-1]) for item in _NUMBERED.split()})


@dataclass(frozen=True)
class AlbertSizes:
    """`plbert`: one layer, used `layers` times over."""

    hidden_size: int = 768
    heads: int = 12
    intermediate: int = 2048
    layers: int = 12
    positions: int = 512
    embedding: int = 128


@dataclass(frozen=True)
class GeneratorSizes:
    """`istftnet`. hop: samples per column of the spectrum; the rates are what lies between a half frame and a column."""

    upsample_rates: tuple[int, ...] = (10, 6)
    upsample_kernels: tuple[int, ...] = (20, 12)
    initial_channels: int = 512
    resblock_kernels: tuple[int, ...] = (3, 7, 11)
    resblock_dilations: tuple[tuple[int, ...], ...] = ((1, 3, 5),) * 3
    n_fft: int = 20
    hop: int = 5


@dataclass(frozen=True)
class KokoroConfig:
    """style: width of half a voice, of which the first half is for the decoder and the second for the predictor."""

    n_symbols: int = 178
    hidden: int = 512
    style: int = 128
    max_duration: int = 50
    text_layers: int = 3
    text_kernel: int = 5
    albert: AlbertSizes = AlbertSizes()
    generator: GeneratorSizes = GeneratorSizes()
    vocab: Mapping[str, int] = field(default_factory=lambda: VOCAB)
    sample_rate: int = SAMPLE_RATE

    @property
    def decoder_width(self) -> int:
        """Channels between the decoder's blocks: 1024 of the release, where kokoro 0.9.4 (istftnet.py) knows no other number."""
        return 2 * self.hidden

    @property
    def side_width(self) -> int:
        """Channels of the text that every block of the decoder is told again: 64 of the release."""
        return self.hidden // 8

    @property
    def half_frame_samples(self) -> int:
        """Of one value of F0 and energy. A duration counts frames of twice as many."""
        return math.prod(self.generator.upsample_rates) * self.generator.hop

    @property
    def columns_per_half_frame(self) -> int:
        """Of the spectrum, for one value of F0 and energy."""
        return math.prod(self.generator.upsample_rates)

    @property
    def most_symbols(self) -> int:
        """In one piece of text, beside the 0 before and the 0 behind it: as many as it has positions for, and a voice styles."""
        return min(self.albert.positions - 2, MOST_SYMBOLS)

    def check_speaks(self) -> None:
        """Raises CheckpointInvalid where what comes with the engine does not fit: voices, measures of clips, symbols of texts."""
        if self.style != STYLE_WIDTH or self.half_frame_samples != HALF_FRAME_SAMPLES:
            fact = f"The checkpoint has styles of {self.style} numbers and half frames of {self.half_frame_samples} samples"
            raise CheckpointInvalid(f"{fact}; the built-in voices have {STYLE_WIDTH} and {HALF_FRAME_SAMPLES}.", OTHER)
        if absent := VOCAB.keys() - self.vocab.keys():
            raise CheckpointInvalid(f"The checkpoint's vocab lacks {len(absent)} of the symbols that texts are read as.", OTHER)

    @classmethod
    def read(cls, folder: Path) -> "KokoroConfig":
        """From the folder's config.json. Raises CheckpointInvalid for keys and sizes that are not implemented."""
        section = Section.read(folder, FILE)
        main = settings_of(_Main, section)
        albert = settings_of(_Plbert, section.section("plbert"))
        istftnet = section.section("istftnet")
        generator = settings_of(_Istftnet, istftnet)
        config = cls(
            n_symbols=main.n_token,
            hidden=main.hidden_dim,
            style=main.style_dim,
            max_duration=main.max_dur,
            text_layers=main.n_layer,
            text_kernel=main.text_encoder_kernel_size,
            albert=AlbertSizes(
                hidden_size=albert.hidden_size,
                heads=albert.num_attention_heads,
                intermediate=albert.intermediate_size,
                layers=albert.num_hidden_layers,
                positions=albert.max_position_embeddings,
                embedding=albert.embedding_size,
            ),
            generator=GeneratorSizes(
                upsample_rates=generator.upsample_rates,
                upsample_kernels=generator.upsample_kernel_sizes,
                initial_channels=generator.upsample_initial_channel,
                resblock_kernels=generator.resblock_kernel_sizes,
                resblock_dilations=_dilations(istftnet),
                n_fft=generator.gen_istft_n_fft,
                hop=generator.gen_istft_hop_size,
            ),
            vocab=main.vocab,
        )
        faults = list(_misfits(config))
        if faults:
            raise CheckpointInvalid(f"{FILE} of the checkpoint does not fit together: {'; '.join(faults)}.", OTHER)
        return config


# --- the file


@schema
class _Main:
    n_token: Size
    hidden_dim: Size
    style_dim: Size
    max_dur: Size
    n_layer: Size
    text_encoder_kernel_size: Size
    vocab: Mapping[str, Size]

    plbert = istftnet = without_effect("sections of their own")
    dropout = multispeaker = without_effect("of training")
    # model.py of kokoro 0.9.4
    dim_in = n_mels = max_conv_dim = without_effect("of networks that are not released, or told and never asked")


@schema
class _Plbert:
    hidden_size: Size
    num_attention_heads: Size
    intermediate_size: Size
    max_position_embeddings: Size
    num_hidden_layers: Size
    embedding_size: Size = 128  # of transformers' AlbertConfig, as the release does not say

    num_hidden_groups = inner_group_num = fixed(1)
    type_vocab_size, hidden_act, layer_norm_eps = fixed(2), fixed("gelu_new"), fixed(1e-12)
    dropout = hidden_dropout_prob = attention_probs_dropout_prob = classifier_dropout_prob = without_effect("of training")


@schema
class _Istftnet:
    upsample_rates: tuple[Size, ...]
    upsample_kernel_sizes: tuple[Size, ...]
    upsample_initial_channel: Size
    resblock_kernel_sizes: tuple[Size, ...]
    gen_istft_n_fft: Size
    gen_istft_hop_size: Size

    resblock_dilation_sizes = without_effect("read by hand")


def _dilations(istftnet: Section) -> tuple[tuple[int, ...], ...]:
    key = "resblock_dilation_sizes"
    rows = istftnet.values.get(key)
    if not isinstance(rows, list) or not all(map(_is_of_a_block, rows)):
        istftnet.refuse(key, f"a list of lists of {N_ROUNDS} whole numbers above zero is expected", OTHER)
    return tuple(map(tuple, rows))


def _is_of_a_block(row: object) -> bool:
    return isinstance(row, list) and len(row) == N_ROUNDS and all(type(size) is int and size > 0 for size in row)


def _misfits(config: KokoroConfig) -> Iterator[str]:
    """What the networks here take for granted of the sizes together."""
    albert, generator = config.albert, config.generator
    if albert.hidden_size % albert.heads:
        yield f"{albert.heads} heads do not share a width of {albert.hidden_size}"
    if config.hidden % 8:
        yield f"hidden_dim is {config.hidden}, no multiple of 8"
    if generator.initial_channels != config.hidden:
        yield f"the decoder hands over {config.hidden} channels, and the generator takes {generator.initial_channels}"
    if generator.initial_channels % 2 ** len(generator.upsample_rates):
        yield f"{generator.initial_channels} channels are not halved {len(generator.upsample_rates)} times"
    if len(generator.upsample_rates) != len(generator.upsample_kernels):
        yield "upsample_rates and upsample_kernel_sizes have other lengths than one another"
    elif any(rate % 2 or kernel != 2 * rate for rate, kernel in zip(generator.upsample_rates, generator.upsample_kernels, strict=True)):
        yield f"kernels of {generator.upsample_kernels} are not twice even rates, {generator.upsample_rates}"
    if len(generator.resblock_kernels) != len(generator.resblock_dilations):
        yield "resblock_kernel_sizes and resblock_dilation_sizes have other lengths than one another"
    if not all(kernel % 2 for kernel in (config.text_kernel, *generator.resblock_kernels)):
        yield "a kernel that keeps the length is even"
    if generator.n_fft % (2 * generator.hop):
        yield f"a Fourier transform has {generator.n_fft} samples, which are no even number of hops of {generator.hop}"
    if not config.vocab or any(len(symbol) != 1 or number >= config.n_symbols for symbol, number in config.vocab.items()):
        yield f"vocab has no symbols, one of several characters, or a number that is not below {config.n_symbols}"
