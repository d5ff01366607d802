"""Signs of numbers in languages without a grammar here: a minus and a currency are said, the digits are the engine's."""

import pytest

from studio.reading.numbers.numbers import number_replacements

SAID = {
    ("sv", "Det kostar $5 och -3 grader, 5 €."): ["5 amerikanska dollar", "minus 3", "5 euro"],
    ("pl", "Mam −3 stopnie i 1 234,50 €"): ["minus 3", "1 234,50 euro"],
    ("tr", "-$5.50 ve 10 ₺"): ["eksi 5.50 ABD doları", "10 Türk lirası"],
    ("uk", "1 €, 2 $"): ["1 євро", "2 долари США"],
    ("cs", "5-3, 2024-03-04, A-5, 1.2.3, x$5y"): [],
    ("tlh", "$5 -3"): [],
}


@pytest.mark.parametrize(("language", "text"), SAID)
def test_a_minus_and_a_currency_are_said_with_their_number(language, text):
    assert [said for _, _, said in number_replacements(text, language)] == SAID[language, text]
