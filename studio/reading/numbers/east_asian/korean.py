"""Numbers in Korean: its own words for what is counted by hand, those of Chinese for all else."""

import re
from functools import cache

from studio.reading.numbers.east_asian.scanner import Scanner
from studio.reading.numbers.east_asian.wording import ITEM, Amount, Context, Wording
from studio.reading.traced_text import Replacement

__all__ = ["korean_replacements"]

_ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_NATIVE = (
    "개(?![월년국소])|명|살|시간|시(?!즌|리즈|대)|마리|권|병(?!동)|잔|가지|그릇|켤레|벌|송이|달(?!러)|사람|군데|쌍|다발|자루|그루|갑|끼|번째|배|판|곡|줄|통|포기|숟갈|큰술|작은술"
    "|컵|팀|조각|바퀴|걸음|모금|방울|알|채(?!널)|골|정거장|줌|꼬집|마디"
)
_UNSURE = "번(?!째|지)|장|대"
_SINO = (
    "개[월년국소]|년대|년생|년도|년간|년|월|일간|일|주일|주간|주|분간|분|초|원|도|층|호선|호|회|차|급|등|위|세기|세|인분"
    "|인(?!가|지|데|듯|것)|점|쪽|페이지|킬로|미터|센티|그램|리터|퍼센트"
    "|프로|단계|학년"
    "|반|박|만|억|천|백|달러|유로|엔|위안|번지|동|권역|교시|강|화|부|편|석|평|톤|배속"
)
# What tells, in front or behind, which of two is meant.
_OF_NUMBERS = re.compile(r" ?번 ?(?:출구|홈|버스|선수|문제|타자|트랙|채널|국도|게이트|창구|방)")
_OF_TIMES = re.compile(r" ?번 ?(?:더|씩|이나|만(?!에)|했|먹|갔|봤|반복)")
_PER_TIME = re.compile(r"(?:하루|하루에|매일|일주일에|주에|한 달에|달에|1년에|일 년에) ?\Z")
_OF_SHEETS = re.compile(r"(?:종이|사진|티켓|표|입장권|수건|카드|셔츠|옷|용지|우표|지폐|이불)(?:를|을|은|는|이|가)? ?\Z")
_OF_MACHINES = re.compile(
    r"(?:차|자동차|컴퓨터|노트북|버스|택시|카메라|비행기|기계|냉장고|스마트폰|휴대폰|트럭|오토바이|자전거|피아노|텔레비전|세탁기)"
    r"(?:를|을|은|는|이|가)? ?\Z"
)
_OF_GUESTS = re.compile(r"(?:손님|고객|어르신|참석자)(?:은|는|이|가)? ?\Z")
_LATIN = re.compile(r"[A-Za-z](?:\.?[ \u00a0]|: ?)\Z")
_PARTICLES = ("도", "인", "만")
_MOST_NATIVE, _MOST_NATIVE_HOUR, _MOST_NATIVE_TIMES = 39, 12, 19
_MOST_BARE_DIGITS, _LEAST_SINO_DIGITS = 7, 3
# What may be counted either way; behind a number alone there is a particle.
_UNKNOWN = re.compile("(?!은|는|이|가|을|를|과|와|로|으로|에|도|만|부터|까지|의|보다|처럼|인|일|입|여|분의)[가-힣]")
_DAYS = re.compile(r"전쟁|혁명|운동|사태|의거|민주")

_UNITS = {
    "temperature-celsius": "{}도",
    "dB": "{}데시벨",
    "mAh": "{}밀리암페어시",
    "graphics-pixel": "{}픽셀",
    "graphics-megapixel": "{}메가픽셀",
}
_CURRENCIES = {
    "KRW": "원", "USD": "달러", "EUR": "유로", "GBP": "파운드", "JPY": "엔", "CNY": "위안", "RUB": "루블", "THB": "바트",
    "INR": "루피",
}  # fmt: skip
_OPERATORS = {"+": "더하기", "-": "빼기", "−": "빼기", "×": "곱하기", "*": "곱하기", "÷": "나누기", "=": "는"}


class Korean(Wording):
    """Standard Korean."""

    digits, zero, point, minus = "영일이삼사오육칠팔구", "공", "점", "마이너스"
    plus = positive = "플러스"
    places, groups = ("", "십", "백", "천"), ("", "만", "억", "조")
    to, versus, whole_and, blank, pause, numero = "에서 ", " 대 ", "과 ", " ", " ", "넘버 "
    scales = "[십백천]?[만억](?!큼)|[천백](?!사)|조(?!각|건|항)"
    locale, own_units, currency_names, yen, operators = "ko", _UNITS, _CURRENCIES, "JPY", _OPERATORS
    idioms = ((re.compile(r"0?6월"), "유월"), (re.compile("10월"), "시월"))
    counters = re.compile(rf" ?(?:{_NATIVE}|{_UNSURE}|{_SINO})")
    dates = frozenset("년월일")
    weekdays = "[일월화수목금토](?:요일)?"
    phones = (
        r"0\d{1,2}[- ]\d{3,4}[- ]\d{4}", r"0\d{1,2}\) ?\d{3,4}-\d{4}", r"01[016789]\d{7,8}", r"1[568]\d{2}-\d{4}",
        r"(?<=\+)\d{1,3}(?:[- ]\d{1,5}){2,4}",
    )  # fmt: skip
    code_words = re.compile(r"(?:비밀번호|인증번호|전화번호|주문번호|우편번호|계좌번호|학번|번호|코드)(?:는|은|가|이|:|\s)*\Z")
    version_words = re.compile(r"버전[:\s]*\Z")
    score_words = re.compile(r"(?:점수|스코어|비율|화면비)(?:는|은|가|이|:)? ?\Z")
    score_verbs = re.compile(r" ?(?:대)?승리| ?(?:완)?패|(?:으로|로|의)[^.,0-9]{0,8}(?:이[겼긴기]|승|패|졌|앞|뒤|비겼|스코어|완승|제압)")
    verse_words = re.compile(r"(?:복음|창세기|출애굽기|시편|계시록|로마서|고린도전서|고린도후서|잠언|이사야|에베소서|빌립보서) ?\Z")
    whole_words = re.compile(r"(?:약|전체의|거의) ?\Z")
    part_words = re.compile(r" ?(?:이상|이하|미만|정도|가량|컵|스푼|큰술|작은술|개|알|모|단|줌|병|수준|만큼|을 차지|를 차지)")

    def group(self, value: int, index: int, higher: str) -> str:
        """One ten is 십, and ten thousand alone 만."""
        if value == 1 and index == 1 and not higher:
            return ""
        said = " " if higher else ""
        for place, digit in zip((3, 2, 1, 0), f"{value:04}", strict=True):
            said += "" if digit == "0" else ("" if digit == "1" and place else self.digits[int(digit)]) + self.places[place]
        return said

    def decimals(self, digits: str) -> str:
        """With 영."""
        return "".join(self.digits[int(digit)] for digit in digits)

    def number(self, amount: Amount) -> str | None:
        """1만 is 만."""
        said = super().number(amount)
        is_one = amount.whole == "1" and not amount.decimals and amount.scale[:1] in ("만", "천", "백")
        return said and (said.replace("일", "", 1) if amount.scale and is_one else said)

    def degrees(self, amount: Amount, unit: str, before: str) -> str | None:
        """Below zero."""
        said = self.number(amount._replace(sign=""))
        return said and f"{'영하 ' if amount.sign == '-' else ''}{self.measured(said, unit, before)}"

    def from_to(self, first: str, last: str, counter: str) -> str:
        """세 명에서 다섯."""
        return f"{first} {counter.strip()}{self.to}{last}"

    def percent(self, said: str, sign: str) -> str:
        """오십 퍼센트."""
        return f"{said} {'퍼밀' if sign == '‰' else '퍼센트'}"

    def date(self, year: str, month: int, day: int) -> str:
        """이천이십오 년 삼 월 사 일."""
        named = {6: "유월", 10: "시월"}.get(month) or f"{self.cardinal(month)} 월"
        return (f"{self.year(year)} 년 " if year else "") + f"{named} {self.cardinal(day)} 일"

    def time(self, hour: int, minute: int, second: int) -> str:
        """세 시 오 분."""
        said = f"{self._hour(hour)} 시"
        said += f" {self.cardinal(minute)} 분" if minute or second else ""
        return f"{said} {self.cardinal(second)} 초" if second else said

    def fraction(self, numerator: int, denominator: int) -> str:
        """삼 분의 일."""
        return f"{self.cardinal(denominator)} 분의 {self.cardinal(numerator)}"

    def power(self, base: str, exponent: str) -> str:
        """십의 육 제곱."""
        if exponent == "2":
            return f"{base}의 제곱"
        return f"{base}의 {self.number(Amount(exponent.lstrip('-'), sign='-' if exponent.startswith('-') else ''))} 제곱"

    def counted(self, amount: Amount, counter: str, context: Context) -> str | None:
        """세 시, 세 명, 스무 살; 삼 분, 삼 개월. Of 번, 장 and 대 what stands around tells which."""
        if not amount.is_plain or context.before.rstrip().endswith("제"):
            return self.number(amount)
        if _LATIN.search(context.before) and counter in _PARTICLES:
            return None
        if counter == "시":
            return self._hour(amount.value)
        if counter in ("번", "장", "대"):
            return self._either(amount.value, counter, context)
        is_native = re.fullmatch(_NATIVE, counter) or (counter == "분" and _OF_GUESTS.search(context.before))
        most = {"살": 99, "배": _MOST_NATIVE_TIMES, "시간": _MOST_NATIVE_TIMES}.get(counter, _MOST_NATIVE)
        return _native(amount.value) if is_native and 0 < amount.value <= most else self.cardinal(amount.value)

    def _either(self, value: int, counter: str, context: Context) -> str | None:
        before, after = context
        if counter == "번" and _OF_NUMBERS.match(after):
            return self.cardinal(value)
        signs = {
            "번": _OF_TIMES.match(after) or _PER_TIME.search(before),
            "장": _OF_SHEETS.search(before),
            "대": _OF_MACHINES.search(before),
        }
        is_decade = counter == "대" and value % 10 == 0 and value
        if not signs[counter] and value <= _MOST_NATIVE_TIMES and not is_decade:
            return None
        return _native(value) if signs[counter] and 0 < value <= _MOST_NATIVE_TIMES else self.cardinal(value)

    def _hour(self, hour: int) -> str | None:
        return _native(hour) if 0 < hour <= _MOST_NATIVE_HOUR else self.cardinal(hour)

    def bare(self, amount: Amount, context: Context) -> str | None:
        """Behind a word in Latin letters, or grown together with one, it is part of a name."""
        before = context.before[-1:]
        if (_LATIN.search(context.before) and not ITEM.match(context.after)) or (before.isalpha() and before != "제"):
            return None
        if amount.is_plain and len(amount.whole) < _LEAST_SINO_DIGITS and before != "제" and _UNKNOWN.match(context.after):
            return None
        if amount.decimals and _DAYS.match(context.after.lstrip()):
            return None
        if amount.whole[0] == "0" and len(amount.whole) > 1:
            return self.spelled(amount.whole)
        return None if amount.is_plain and len(amount.whole) > _MOST_BARE_DIGITS else self.number(amount)


def _native(value: int) -> str:
    """From 1 to 99, in front of what is counted."""
    return "스무" if value == 20 else _TENS[value // 10] + _ONES[value % 10]


@cache
def _scanner() -> Scanner:
    return Scanner(Korean())


def korean_replacements(text: str) -> list[Replacement]:
    """Of a Korean text."""
    return _scanner()(text)
