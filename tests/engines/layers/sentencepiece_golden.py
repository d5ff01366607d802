"""A small SentencePiece model and the ids that sentencepiece gives with it: `python -m tests.engines.layers.sentencepiece_golden`.

To be run where sentencepiece 0.2.3 is, from the root of the repository; it writes both files beside this one. The model is trained on the
project's README with rules of its own for characters, since the usual ones take a quarter of a megabyte.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["IDS", "MODEL"]

MODEL = Path(__file__).with_name("sentencepiece.model")
IDS = Path(__file__).with_name("sentencepiece.json")
RULES = {
    "é": "e\u0301", "ö": "o\u0308", "fi": "ﬁ", "...": "…", " ": "\u3000", "  ": "\u2003", "": "\u200b", "x y": "\u0301x", "1⁄2": "½",
}  # fmt: skip
LINES = (
    "", " ", "   ", "Hello from a cloned voice.", " two  blanks   and more ", "cafe\u0301 café ﬁne ½ …", "\u3000wide\u2003blanks\u2003",
    "\u200b\u200b", "\u200b a \u200b", "zero\u200bwidth", "\u0301x", "e\u0301\u0301", "e", "\u0301", "漢字 😀", "<s> </s> <unk> <0x41>",
    "▁", "a▁b ▁▁", "voices voice, the voice", "<sep>", "a<sep> b <sep>", "tab\there\n", "---- ....", "\x00\uffff", "ALL CAPITALS 3.50",
)  # fmt: skip


def main() -> None:
    import sentencepiece

    with TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.tsv"
        lines = (f"{' '.join(f'{ord(c):X}' for c in old)}\t{' '.join(f'{ord(c):X}' for c in new)}" for new, old in RULES.items())
        rules.write_text("\n".join(lines) + "\n")
        sentencepiece.SentencePieceTrainer.train(
            input="README.md",
            model_prefix=str(Path(folder) / "made"),
            vocab_size=460,
            model_type="unigram",
            byte_fallback=True,
            character_coverage=0.99,
            normalization_rule_tsv=str(rules),
            user_defined_symbols=["<sep>", "voice"],
            pad_id=3,
            minloglevel=2,
        )
        MODEL.write_bytes((Path(folder) / "made.model").read_bytes())
    processor = sentencepiece.SentencePieceProcessor(str(MODEL))
    content = {"sentencepiece": sentencepiece.__version__, "ids": [[line, processor.encode(line)] for line in LINES]}
    IDS.write_text(json.dumps(content, indent=None, ensure_ascii=True).replace("]], [", "]],\n[") + "\n")


if __name__ == "__main__":
    main()
