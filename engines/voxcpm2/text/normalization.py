"""Text normalization: writes numbers, dates and signs as words, by the grammars of text_grammar.py.

Which grammar, and what happens before and after it, follow TextNormalizer of voxcpm 2.0.3, with these differences: of Markdown and HTML the
marks go and their words stay (upstream drops `code`, and all between < and >); a text of another script, or one that a grammar fails on, is
refused, not read as English.
"""

import re

from engines.text.text_grammar import read_by_grammar

__all__ = ["normalized"]

# Signs with an emoji of their own (Emoji=Yes in Unicode 17's emoji-data.txt, but for digits, # and *), what joins them, and tags of flags.
EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u2300-\u23ff\u24c2\u25aa-\u25fe\u2600-\u2775\u2794-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\u200d\u20e3\ufe0f\U000e0020-\U000e007f"
)
SPACE = re.compile(r"(?<=\S)[^\S\n]{2,}(?=\S)")  # which the English grammar has no way through
CHINESE = re.compile("[\u4e00-\u9fff]")
MARKS = (
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # links and pictures: their words
    (re.compile(r"</?[A-Za-z][^<>]*>|`+|^(?:#{1,6}|-)\s+"), ""),  # tags; code; a heading or an item of a list
    (re.compile(rf"(?<=\w)[{EMOJI}]+(?=\w)"), " "),
    (re.compile(f"[{EMOJI}]"), ""),
    (re.compile("[“”]"), '"'),
)
MINUS = re.compile(r"(?<=[a-zA-Z0-9])-(?=\d)")  # in x-2, which the grammar would read as x and minus two
BLANK = re.compile(r"(?<![!-~]) +| +(?![!-~])")  # all but those between two characters of ASCII
SIGNS = str.maketrans({"²": "平方", "³": "立方", "√": "根号", "≈": "约等于", "<": "小于"} | dict.fromkeys("（）【】", " "))


def normalized(text: str) -> str:
    """The text with numbers and signs as words: Chinese words where it has any Chinese character, else English ones.

    Raises OptionInvalid where wetext is not installed, and where it cannot read the text as either.
    """
    for pattern, stands in MARKS:
        text = pattern.sub(stands, text)
    text = SPACE.sub(" ", text).strip()
    if not CHINESE.search(text):
        return read_by_grammar(text, "en")
    said = read_by_grammar(MINUS.sub(" - ", text.replace("=", "等于")), "zh")
    return BLANK.sub("", said).translate(SIGNS).replace("——", " ")
