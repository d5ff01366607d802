"""Numbers in Japanese, in the letters in which they are read most surely."""

import re
from functools import cache

from studio.reading.numbers.east_asian.scanner import Scanner
from studio.reading.numbers.east_asian.wording import ITEM, Amount, Context, Wording
from studio.reading.traced_text import Replacement

__all__ = ["japanese_replacements"]

_LATIN_OR_KATAKANA = re.compile(r"(?:[A-Za-z](?:\.?[ \u00a0]|: ?)|[ァ-ヺー])\Z")
_SHORT = (
    "つ人本枚匹頭羽個台冊回階歳才杯軒足着通件名位番号度倍割分秒時日月年週泊章話巻曲社校点円元万億丁品列段組代世期級等勝敗球行"
    "字畳坪問戦机票便膳皿玉株店"
)
_LONG = (
    "年代|年度|年生|年間|[かヶカヵケ箇]月間?|時間|分間|秒間|日間|週間|番目|人目|回目|つ目|人前|種類|世紀|号車|号室|号線|丁目|番地|番線|ページ|キロ|メートル|グラム"
    "|センチ|ミリ|リットル|パーセント|ドル|ユーロ|ポンド|ウォン|クラス|カップ|ポイント|チーム|グループ"
)
_MOST_BARE_DIGITS = 7

_UNITS = {"temperature-celsius": "{}度", "dB": "{}デシベル", "mAh": "{}ミリアンペア時", "cal": "{}カロリー", "cc": "{}シーシー"}
_CURRENCIES = {
    "JPY": "円", "USD": "ドル", "EUR": "ユーロ", "GBP": "ポンド", "KRW": "ウォン", "CNY": "人民元", "HKD": "香港ドル",
    "TWD": "台湾ドル",
}  # fmt: skip
_CURRENCIES |= {"RUB": "ルーブル", "THB": "バーツ", "INR": "ルピー", "AUD": "オーストラリアドル"}
_OPERATORS = {"+": "足す", "-": "引く", "−": "引く", "×": "かける", "*": "かける", "÷": "割る", "=": "は"}


class Japanese(Wording):
    """Standard Japanese."""

    digits, zero, point, minus = "零一二三四五六七八九", "ゼロ", "点", "マイナス"
    plus = positive = "プラス"
    groups = ("", "万", "億", "兆")
    to, versus, whole_and, pause, numero = "から", "対", "と", "、", "ナンバー"
    scales = "[十百千]?[万億兆]|千|百"
    locale, own_units, currency_names, yen, operators = "ja", _UNITS, _CURRENCIES, "JPY", _OPERATORS
    label, label_words = "〒", "郵便番号、"
    idioms = ((re.compile(r"(?<!時)10分(?![のか間前後]の?[0-9一-九])(?!の[0-9一-九])"), "じゅっぷん"),)
    counters = re.compile(rf" ?(?:{_LONG}|[{_SHORT}])")
    dates = frozenset("年月日")
    weekdays = "[日月火水木金土][曜]?日?(?:・?祝)?|祝日?"
    phones = (
        r"0\d{1,4}-\d{1,4}-\d{3,4}", r"0\d{1,4}\(\d{1,4}\)\d{4}", r"0[5789]0\d{8}", r"0[5789]0 \d{4} \d{4}", r"0120\d{6}",
        r"(?<=〒)\d{3}-?\d{4}", r"(?<=〒 )\d{3}-?\d{4}", r"(?<=\+)\d{1,3}(?:[- ]\d{1,5}){2,4}",
    )  # fmt: skip
    code_words = re.compile(
        r"(?:暗証番号|認証コード|確認コード|パスワード|電話番号?|会員番号|受付番号|注文番号|郵便番号|口座番号|学籍番号|コード)(?:は|が|:|：|\s)*\Z"
    )
    version_words = re.compile(r"(?:バージョン|版)[:：\s]*\Z")
    score_words = re.compile(r"(?:スコア|得点|比率|割合|縦横比|比)(?:は|が|:|：)?\Z")
    score_verbs = re.compile(r"(?:で|の)(?:[^。、0-9]{0,10})?(?:勝|破|下し|制し|敗|負|リード|引き分|スコア|同点|逆転|完封|快勝)")
    verse_words = re.compile(r"[ァ-ヺー書記伝音篇]\s?\Z")
    whole_words = re.compile(r"(?:約|およそ|全体の|うち|のうち|残り)\s?\Z")
    part_words = re.compile(
        r"\s?(?:カップ|以上|以下|未満|程度|ほど|くらい|ぐらい|を占|が占|個|本|量|強|弱|サイズ|スケール|スプーン|丁"
        r"|の(?:確率|人|割合|量|値段|価格|サイズ|大きさ|学生|国民|住民|速度|時間|長さ|面積|賛成|生徒|社員))"
    )

    def group(self, value: int, index: int, higher: str) -> str:
        """One thousand is 一千 but alone."""
        said = ""
        for place, digit in zip((3, 2, 1, 0), f"{value:04}", strict=True):
            is_one = digit == "1" and (place in (1, 2) or (place == 3 and not index and not higher))
            said += "" if digit == "0" else ("" if is_one else self.digits[int(digit)]) + self.places[place]
        return said

    def number(self, amount: Amount) -> str | None:
        """1000万 is 一千万."""
        said = super().number(amount)
        return said and (said.replace("千", "一千", 1) if amount.scale and amount.whole == "1000" and not amount.decimals else said)

    def percent(self, said: str, sign: str) -> str:
        """五十パーセント."""
        return said + ("パーミル" if sign == "‰" else "パーセント")

    def date(self, year: str, month: int, day: int) -> str:
        """二千二十五年三月四日."""
        return (f"{self.year(year)}年" if year else "") + f"{self.cardinal(month)}月{self.cardinal(day)}日"

    def time(self, hour: int, minute: int, second: int) -> str:
        """十四時五分."""
        said = f"{self.cardinal(hour)}時"
        said += f"{self.cardinal(minute)}分" if minute or second else ""
        return f"{said}{self.cardinal(second)}秒" if second else said

    def fraction(self, numerator: int, denominator: int) -> str:
        """三分の一."""
        return f"{self.cardinal(denominator)}分の{self.cardinal(numerator)}"

    def power(self, base: str, exponent: str) -> str:
        """十の六乗."""
        return f"{base}の{self.number(Amount(exponent.lstrip('-'), sign='-' if exponent.startswith('-') else ''))}乗"

    def counted(self, amount: Amount, counter: str, context: Context) -> str | None:
        """三人."""
        if counter == "番" and amount.whole == "110":
            return None
        if amount.is_plain and not amount.value:
            return self.digits[0] if counter[0] in "時度分秒" else self.zero
        return self.number(amount)

    def bare(self, amount: Amount, context: Context) -> str | None:
        """Behind a word in Latin letters or Katakana it is part of a name."""
        if _LATIN_OR_KATAKANA.search(context.before) and not ITEM.match(context.after):
            return None
        if amount.whole[0] == "0" and len(amount.whole) > 1:
            return self.spelled(amount.whole)
        if amount.is_plain and len(amount.whole) > _MOST_BARE_DIGITS:
            return None
        return self.zero if amount.is_plain and not amount.value else self.number(amount)


@cache
def _scanner() -> Scanner:
    return Scanner(Japanese())


def japanese_replacements(text: str) -> list[Replacement]:
    """Of a Japanese text."""
    return _scanner()(text)
