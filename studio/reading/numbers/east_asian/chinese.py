"""Numbers in Chinese, as said on the mainland, and in the letters of Taiwan and Hong Kong where the text is written so."""

import re
from functools import cache

from studio.reading.numbers.east_asian.scanner import Scanner
from studio.reading.numbers.east_asian.wording import ITEM, Amount, Context, Wording
from studio.reading.traced_text import Replacement

__all__ = ["cantonese_replacements", "mandarin_replacements"]

# Letters that are common, and written so in one of both ways alone.
_TRADITIONAL = re.compile(
    "["
    "溫請級線組結統續紅綠約紙終網練臺灣問題聲聽讀寫鐵錄鐘銀鄉邊遠運遊達連進週輛輪載較軍歷廠廳歸當畫異癥處號術觀覺覽視認識譯議課調談論謝"
    "講許訪設試詩該詳誤說諾護變豐賽贏趕跡轉辦農鄰醫釋閱陸隊階際隨難雲電靈靜響頁項順須預領頻顏願類風飛飯館驗體魚鳥鹽麗黃齊個們這來時國會"
    "對過為後開關點億萬員錢話學見長門間車東馬語書買賣頭實現經發無從動與還兩種樣師氣產業務總區數據場廣樂張陽幾讓給誰嗎麼歲條熱質單藝愛幫"
    "寶筆畢標補財倉嘗償徹塵陳稱懲齒蟲醜礎觸傳闖創錘帶黨導燈鄧敵滌遞顛釣釘凍棟鬥賭鍍鍛頓奪鵝額兒爾餌貳罰範販紡廢費紛墳糞鋒馮縫諷輔賦負訃"
    "婦鈣蓋岡鋼綱閣宮龔貢鉤溝構購夠蠱顧貫規龜閨軌詭櫃貴滾鍋"
    "]"
)
_SIMPLIFIED = re.compile(
    "["
    "个们这来时说国会对过为后开关点亿万员钱电话号学见长门间车东马语书买卖头实现经发当无从动与还两种样师气产业务总统区数据场广边乐张阳几让给谁吗么岁条"
    "]"
)
_TO_TRADITIONAL = str.maketrans("点负万亿两间号韩欧镑币台时摄华兹纳贝铢卢", "點負萬億兩間號韓歐鎊幣臺時攝華茲納貝銖盧")
# What two are 两 of.
_PAIRS = (
    "个個名位人只隻條条张張本辆輛件次天周週年小钟鐘米公斤千克吨噸元块塊支枝台臺家间間座棵朵杯瓶碗盘盤套双雙对對种種份篇首部句"
    "遍趟场場岁歲倍口头頭匹架艘扇颗顆粒滴片根把顶頂盏盞盒箱袋包桶节節堂门門项項轮輪步点點秒分厘毫平立升英海角毛组組排行处處股"
    "成折夜晚"
)
_OTHERS = (
    "月日号號楼樓届屆级級字页頁章卡路室房层層列代等类類集季卷课課题題样樣余餘多来來幾几度男女道码碼寸尺亩畝里吋份笔筆例票声"
    "聲餐班档檔批环環世"
)
_PAIR_WORDS = ("美元", "欧元", "歐元", "英镑", "英鎊", "日元", "日圓", "韩元", "韓元", "港元", "港币", "港幣", "平方", "立方", "海里", "毫")
_LONGER = (
    "美元|欧元|歐元|英镑|英鎊|韩元|韓元|港元|港币|港幣|年级|年級|年代|年制|世纪|世紀|月份|个月|個月|日元|"
    "日圓|号房|號房|号线|號線|号楼|號樓|分钟|分鐘|分之"
)
_AMOUNT_WORDS = re.compile(
    r"(?:[等大小低高少多][于於]|[共约約达達近到至了为為是有过過足满滿每余值得计計以高重长長宽寬加减減乘除数數超破仅僅])\s?\Z"
)
_LATIN = re.compile(r"[A-Za-z](?:\.?[ \u00a0]|: ?)\Z")
_YEAR_WORDS = re.compile(r"(?:公元|公元前|西元|西元前)\s?\Z")
_SINCE = re.compile(r"(?:公元|西元|于|於|在|自|从|從|到|至)\s?\Z")
_ERAS = re.compile(r"(?:民国|民國|光绪|光緒|乾隆|康熙|昭和|平成|令和|近|约|約|过去|過去|未来|未來|这|這)\s?\Z")
_SPAN = re.compile(r"\s?年(?:前|后|後|间|間|的?历史|的?歷史|以上|之久|来|來|文明)")
_AROUND = re.compile(r"\s?年(?:前|后|後)")
_GENERATION = re.compile("后|後")
_EVENTS = re.compile("晚会|晚會|大促|事件|黄金周|黃金週|小?长假|假期|促销|节|節|惨案|公祭")

_ZERO = {"-": "零下", "+": "零上"}
_MOST_ISSUE_DIGITS = 5

_UNITS = {
    "mass-kilogram": "{}公斤", "electric-volt": "{}伏", "power-watt": "{}瓦", "dB": "{}分贝", "mAh": "{}毫安时",
    "pressure-hectopascal": "{}百帕",
}  # fmt: skip
_UNITS |= {"temperature-celsius": "{}摄氏度", "temperature-fahrenheit": "{}华氏度"}
_UNITS |= {f"digital-{name}byte": "{}" + f"{name[0]}B".upper() for name in ("kilo", "mega", "giga", "tera", "peta")}
_CURRENCIES = {"CNY": "元", "USD": "美元", "EUR": "欧元", "GBP": "英镑", "JPY": "日元", "KRW": "韩元", "HKD": "港元", "TWD": "元新台币"}
_CURRENCIES |= {"RUB": "卢布", "THB": "泰铢", "INR": "卢比", "AUD": "澳元", "SGD": "新加坡元", "CAD": "加元"}
_OPERATORS = {"+": "加", "-": "减", "−": "减", "×": "乘以", "*": "乘以", "÷": "除以", "=": "等于"}


class Chinese(Wording):
    """Mandarin. is_traditional: with the units of Taiwan."""

    digits, zero, point, minus, plus, positive = "零一二三四五六七八九", "零", "点", "负", "加", "正"
    to, versus, whole_and, pause, numero = "到", "比", "又", "，", "第"
    scales = "万亿|萬億|[百千十]?[万萬]|[百千]?[亿億]|千(?![克米瓦卡赫伏帕焦])|百(?!分)"
    own_units, left_units, currency_names, yen, operators = _UNITS, ("s", "in", "MP", "W"), _CURRENCIES, "CNY", _OPERATORS
    counters = re.compile(rf" ?(?:{_LONGER}|期(?![间間])|大卡|[{_PAIRS}{_OTHERS}])")
    dates = frozenset("年月日号號")
    weekdays = "(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]|[一二三四五六日]"
    phones = (
        r"(?:86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}", r"0\d{2,3}[- ]\d{3,4}[- ]?\d{4}(?:-\d{1,4})?", r"0[1-9][- ]\d{3,4}[- ]\d{4}",
        r"0\d{2,3}\) ?\d{3,4}[- ]?\d{4}", r"[48]00[- ]\d{3}[- ]\d{4}",
        r"[48]00[- ]\d{4}[- ]\d{3}", r"09\d{2}[- ]\d{3}[- ]\d{3}", r"(?<=\+)\d{1,3}(?:[- ]\d{1,5}){2,4}",
    )  # fmt: skip
    code_words = re.compile(
        r"(?:验证码|驗證碼|密码|密碼|编号|編號|号码|號碼|QQ号?|邮编|郵編|郵遞區號|邮政编码|学号|學號|工号|卡号|卡號|账号|帳號|单号|單號|代码|代碼|代号|代號"
        r"|电话|電話|手机号?|手機|拨打|撥打|拨|撥|致电|致電|热线|熱線|打|尾号)(?:是|为|為)?[：:\s]*\Z"
    )
    version_words = re.compile(r"(?:版本|版本号|版本號|系统|系統)[：:\s]*\Z")
    score_words = re.compile(r"(?:比分|比数|比數|比例|比率|大比分|总比分)(?:是|为|為|：|定格在)?\Z")
    score_verbs = re.compile(
        r"(?:获胜|獲勝|战胜|戰勝|击败|擊敗|领先|領先|取胜|取勝|大胜|险胜|落败|落敗|落后|落後|战平|戰平|逆转|逆轉|的?比分)"
    )
    verse_words = re.compile(r"[音书書篇记記录錄传傳歌]\s?\Z")
    whole_words = re.compile(r"(?:占|佔|约|約|近|仅|僅|超过|超過|总数的|總數的|全[国體体]的|的)\s?\Z")
    part_words = re.compile(r"\s?(?:的|杯|勺|匙|茶匙|汤匙|以上|以下|左右|强|弱|多|個|个|小时|小時|处)")

    def __init__(self, *, is_traditional: bool):
        self.locale = "zh_Hant" if is_traditional else "zh"

    def group(self, value: int, index: int, higher: str) -> str:
        """Two thousand, two of ten thousand: 两."""
        text, said, is_open = f"{value:04}", "", False
        for place, digit in zip((3, 2, 1, 0), text, strict=True):
            if digit == "0":
                is_open = True
                continue
            if is_open and (said or higher):
                said += "零"
            is_open = False
            is_pair = digit == "2" and not said and (place == 3 or (place == 0 and index and not higher))
            is_teen = digit == "1" and place == 1 and not said and not higher
            said += ("" if is_teen else "两" if is_pair else self.digits[int(digit)]) + self.places[place]
        return said

    def number(self, amount: Amount) -> str | None:
        """2万 is 两万."""
        if amount.scale and not amount.decimals and amount.value == 2:
            amount = amount._replace(whole="2000")
            said = super().number(amount)
            return said and said.replace("千", "", 1)
        return super().number(amount)

    def degrees(self, amount: Amount, unit: str, before: str) -> str | None:
        """Below zero."""
        said = self.number(amount._replace(sign=""))
        return said and f"{_ZERO.get(amount.sign, '')}{self.measured(said, unit, before)}"

    def percent(self, said: str, sign: str) -> str:
        """-3% is 负百分之三."""
        front = said[:1] if said[:1] in (self.minus, self.positive) else ""
        return f"{front}{'千分之' if sign == '‰' else '百分之'}{said[len(front) :]}"

    def date(self, year: str, month: int, day: int) -> str:
        """二零二五年三月四日."""
        return (f"{self.year(year)}年" if year else "") + f"{self.cardinal(month)}月{self.cardinal(day)}日"

    def year(self, year: str) -> str:
        """Digit by digit."""
        return self.spelled(year)

    def time(self, hour: int, minute: int, second: int) -> str:
        """十四点零五分."""
        said = f"{self._two(hour)}点"
        if minute or second:
            said += f"{self._padded(minute)}分"
        return f"{said}{self._padded(second)}秒" if second else said

    def fraction(self, numerator: int, denominator: int) -> str:
        """三分之一."""
        return f"{self.cardinal(denominator)}分之{self.cardinal(numerator)}"

    def power(self, base: str, exponent: str) -> str:
        """十的六次方."""
        number = Amount(exponent.lstrip("-"), sign="-" if exponent.startswith("-") else "")
        return f"{base}的平方" if exponent == "2" else f"{base}的{self.number(number)}次方"

    def counted(self, amount: Amount, counter: str, context: Context) -> str | None:
        """Two are 两, but in an order; years and rooms are digits."""
        n_digits = len(amount.whole)
        is_decade = counter == "年代" and n_digits == 4
        if not amount.is_plain:
            return self.number(amount)
        if counter.startswith("年") and len(counter) == 1:
            return self._years(amount, context)
        if amount.whole[0] == "0" and n_digits > 1:
            return self.cardinal(amount.value) if counter[0] in "月日时時点點" else self.spelled(amount.whole)
        is_room = n_digits in (3, 4) and (counter in ("室", "房", "号房", "號房") or (counter == "路" and n_digits == 3))
        if is_room or is_decade or (counter == "期" and n_digits > _MOST_ISSUE_DIGITS):
            return self.spelled(amount.whole)
        if n_digits == 3 and counter in ("号", "號"):
            return None
        is_ordinal = context.before.rstrip().endswith("第") or counter in ("年级", "年級", "年代", "年制")
        is_pair = counter[0] in _PAIRS or counter in _PAIR_WORDS
        return self._two(amount.value) if is_pair and not is_ordinal else self.cardinal(amount.value)

    def _years(self, amount: Amount, context: Context) -> str | None:
        value, n_digits = amount.value, len(amount.whole)
        if amount.whole[0] == "0" or (n_digits == 3 and _YEAR_WORDS.search(context.before)):
            return self.spelled(amount.whole)
        if n_digits == 4 and 1000 <= value < 2200:
            return self._year_or_years(amount, context)
        if n_digits == 2 and value > 60 and not _ERAS.search(context.before):
            return None
        return self._two(value) if not context.before.endswith("第") else self.cardinal(value)

    def _year_or_years(self, amount: Amount, context: Context) -> str | None:
        is_known = amount.value in (1900, 2000, 2100)
        if amount.value % 100 or _SINCE.search(context.before) or (is_known and not _SPAN.match(context.after)):
            return self.spelled(amount.whole)
        if _SPAN.match(context.after) and not (is_known and _AROUND.match(context.after)):
            return self.cardinal(amount.value)
        return None

    def bare(self, amount: Amount, context: Context) -> str | None:
        """Of three digits and more it may be a name (747), or a year."""
        is_of_amount = _AMOUNT_WORDS.search(context.before)
        if (_LATIN.search(context.before) and not ITEM.match(context.after)) or (amount.decimals and _EVENTS.match(context.after)):
            return None
        if amount.whole[0] == "0" and len(amount.whole) > 1:
            return self.spelled(amount.whole)
        if not amount.is_plain or is_of_amount:
            return self.number(amount)
        if len(amount.whole) > 2:
            is_year = 1900 < amount.value < 2100 and amount.value % 100 and context.after[:1].isalpha() and context.after[0] > "\u3000"
            return self.spelled(amount.whole) if is_year else None
        is_generation = len(amount.whole) == 2 and amount.value % 5 == 0 and amount.value >= 50 and _GENERATION.match(context.after)
        return self.spelled(amount.whole) if is_generation else self.number(amount)

    def _two(self, value: int) -> str | None:
        return "两" if value == 2 else self.cardinal(value)

    def _padded(self, value: int) -> str:
        return f"{'零' if value < 10 else ''}{self.cardinal(value) if value else ''}"


@cache
def _scanner(*, is_traditional: bool) -> Scanner:
    return Scanner(Chinese(is_traditional=is_traditional))


def mandarin_replacements(text: str) -> list[Replacement]:
    """Of a Mandarin text."""
    return _replacements(text, is_traditional=bool(_TRADITIONAL.search(text)) and not _SIMPLIFIED.search(text))


def cantonese_replacements(text: str) -> list[Replacement]:
    """Of a Cantonese text."""
    return _replacements(text, is_traditional=not _SIMPLIFIED.search(text))


def _replacements(text: str, *, is_traditional: bool) -> list[Replacement]:
    found = _scanner(is_traditional=is_traditional)(text)
    return [one._replace(said=one.said.translate(_TO_TRADITIONAL)) for one in found] if is_traditional else found
