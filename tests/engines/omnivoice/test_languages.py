"""646 languages by their IDs, as upstream has them (omnivoice 0.2.1, utils/lang_map.py)."""

from hashlib import sha256

import pytest

from engines.errors import OptionInvalid
from engines.omnivoice.languages import LANGUAGES, language_names
from engines.omnivoice.options import OPTIONS

# Of "ID<tab>name in small letters" of the official table, a row a line, in its order.
OF_ROWS = "7a7f93d3a442655ac4edbf04c5933766ec16b9bc26ebf9ae72cd2c7426a686d8"


def test_the_rows_are_the_official_ones_in_their_order():
    assert tuple(language_names()) == LANGUAGES and len(LANGUAGES) == len(set(language_names().values())) == 646
    rows = "".join(f"{code}\t{name.lower()}\n" for code, name in language_names().items())
    assert sha256(rows.encode()).hexdigest() == OF_ROWS


def test_the_option_says_what_each_language_is_called():
    option = next(option for option in OPTIONS if option.name == "language")
    assert dict(zip(option.choices, option.labels, strict=True)) == language_names()
    with pytest.raises(OptionInvalid) as invalid:
        option.check("Germn")
    assert invalid.value.values["nearest"][0] == "de"
