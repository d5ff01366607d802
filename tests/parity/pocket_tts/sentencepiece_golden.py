"""A small SentencePiece model and the ids that sentencepiece gives with it: `python -m tests.parity.pocket_tts.sentencepiece_golden`.

To be run where sentencepiece 0.2.3 is; it writes both files for tests/engines/layers, the same bytes each time. The model is trained on the
license's text, with rules of its own for characters, since the usual ones take a quarter of a megabyte.
"""

import io
import json
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import sentencepiece

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests" / "engines" / "layers"
RULES = {
    "é": "e\u0301", "ö": "o\u0308", "fi": "ﬁ", "...": "…", " ": "\u3000", "  ": "\u2003", "": "\u200b", "x y": "\u0301x", "1⁄2": "½",
    "q": "e\u0301\u0301",
}  # fmt: skip
LINES = (
    "", " ", "   ", "Hello from a cloned voice.", " two  blanks   and more ", "cafe\u0301 café ﬁne ½ …", "\u3000wide\u2003blanks\u2003",
    "\u200b\u200b", "\u200b a \u200b", "zero\u200bwidth", "\u0301x", "e\u0301\u0301", "e", "\u0301", "漢字 😀", "<s> </s> <unk> <0x41>",
    "▁", "a▁b ▁▁", "voices voice, the voice", "<sep>", "a<sep> b <sep>", "tab\there\n", "---- ....", "\x00\uffff", "ALL CAPITALS 3.50",
)  # fmt: skip


def main() -> None:
    model = _trained((ROOT / "LICENSE").read_text(encoding="utf-8").splitlines())
    (FOLDER / "sentencepiece.model").write_bytes(model)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    content = {"sentencepiece": sentencepiece.__version__, "ids": [[line, processor.encode(line)] for line in LINES]}
    (FOLDER / "sentencepiece.json").write_text(json.dumps(content).replace("]], [", "]],\n[") + "\n")


def _trained(lines: list[str]) -> bytes:
    rules = (f"{_codes(old)}\t{_codes(new)}\n" for new, old in RULES.items())
    written = io.BytesIO()
    with TemporaryDirectory() as folder, chdir(folder):  # the model keeps the path of its rules
        Path("rules.tsv").write_text("".join(rules), encoding="utf-8")
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=written,
            vocab_size=460,
            model_type="unigram",
            byte_fallback=True,
            character_coverage=0.99,
            normalization_rule_tsv="rules.tsv",
            user_defined_symbols=["<sep>", "voice"],
            pad_id=3,
            num_threads=1,
            minloglevel=2,
        )
    return written.getvalue()


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)


if __name__ == "__main__":
    main()
