"""The words and signs that scale, measure and name numbers: facts only, no code.

A blank inside a name is written as `_`. Lower case only: folding loses the case, so `mw` is taken for megawatt and
`mb` for megabyte.
"""

__all__ = [
    "CN_DIGITS",
    "CN_FORMAL",
    "CN_LARGE",
    "CN_NUMERALS",
    "CN_SMALL",
    "CURRENCIES",
    "KO_NUMERALS",
    "MONTHS",
    "NUMBER_WORDS",
    "ORDINAL_WORDS",
    "PART_WORDS",
    "SCALES",
    "UNITS",
]

_SCALES = {
    1e2: "hundred 百",
    1e3: "thousand thousands tsd tausend mille mil 千 천",
    1e4: "万 萬 만",
    1e5: "lakh lakhs lac",
    1e6: "million millions millionen mio mn mln millón millones 百万 백만",
    1e7: "crore crores cr 千万",
    1e8: "亿 億 억",
    1e9: "bn billion billions mrd milliarde milliarden milliard milliards mil_millones 十亿",
    1e12: "tn trillion trillions billionen billones 兆 万亿 조",
    1e10: "百亿",
    1e11: "千亿",
    1e1: "十",
}
_CURRENCIES = {
    "usd": "$ us$ usd dollar dollars us_dollar us_dollars u.s._dollars 美元 美金 米ドル ドル 달러",
    "eur": "€ eur euro euros 欧元 歐元 ユーロ 유로",
    "gbp": "£ gbp pound_sterling pounds_sterling 英镑 英鎊 ポンド 파운드",
    # One sign, ¥, for two currencies: they are not told apart.
    "cny-jpy": "¥ yen yuan rmb cny jpy renminbi 円 元 圆 圓 人民币 人民幣 日元 日圆",
    "krw": "₩ krw won 원 韩元",
    "inr": "₹ inr rs rupee rupees 卢比",
    "chf": "chf franken swiss_francs swiss_franc 瑞士法郎",
    "crown": "crowns kronor kroner",
    "aud": "a$ aud australian_dollars",
    "cad": "c$ cad canadian_dollars 加元",
    "hkd": "hk$ hkd 港元 港币",
    "twd": "nt$ twd 新台币 新臺幣",
    "sgd": "s$ sgd",
    "brl": "r$ brl",
    "rub": "₽ rub roubles rubles 卢布",
}
# The first name of a row is one that other tables of units know, too.
_MEASURES: dict[str, dict[float, str]] = {
    "length": {
        1e-9: "nanometre nm nanometers nanometres",
        1e-6: "micrometre μm micrometers micrometres microns",
        1e-3: "millimetre mm millimetres millimeter millimeters millimètres milímetros 毫米 ミリ",
        1e-2: "centimetre cm centimetres centimeter centimeters centimètres centímetros zentimeter 厘米 センチ 公分",
        1.0: "metre m metres meter meters metern mètre mètres metro metros 米 メートル 미터 公尺",
        1e3: "kilometre km kilometres kilometer kilometers kilometern kms kilomètre kilomètres kilómetro kilómetros "
        "公里 千米 キロメートル キロ 킬로미터",
        1609.344: "mile miles meile meilen milles millas mi 英里 マイル 마일",
        0.3048: "foot ft feet fuß fuss pieds pies 英尺",
        0.0254: "inch inches zoll pouces pulgadas 英寸 インチ",
        0.9144: "yard yd yards yds 码",
        1852.0: "nautical_mile nautical_miles seemeilen 海里",
    },
    "area": {
        1.0: "square_metre m2 sqm sq_m square_metres square_meter square_meters quadratmeter qm mètres_carrés "
        "metros_cuadrados 平方米 平米 平方メートル 제곱미터 ㎡",
        1e-4: "square_centimetre cm2 square_centimetres square_centimeters quadratzentimeter 平方厘米",
        1e6: "square_kilometre km2 sq_km sqkm square_kilometres square_kilometer square_kilometers quadratkilometer "
        "kilomètres_carrés kilómetros_cuadrados 平方公里 平方千米 平方キロ 平方キロメートル 제곱킬로미터",
        1e4: "hectare ha hectares hektar hectáreas 公顷 ヘクタール 헥타르",
        4046.8564224: "acre acres 英亩",
        0.09290304: "square_foot ft2 sq_ft sqft square_feet 平方英尺",
        2589988.110336: "square_mile sq_mi square_miles sq_miles 平方英里",
    },
    "mass": {
        1e-9: "microgram μg micrograms mcg 微克",
        1e-6: "milligram mg milligrams milligramm 毫克",
        1e-3: "gram g grams gramm grammes gramos 克 グラム 그램",
        1.0: "kilogram kg kilograms kilogramm kilo kilos kilogrammes kilogramos 公斤 千克 キログラム 킬로그램",
        1e3: "tonne t tonnes tons tonnen tonneladas 吨 噸 トン 톤",
        0.45359237: "pound lb lbs pounds 磅",
        0.028349523125: "ounce oz ounces 盎司",
    },
    "volume": {
        1e-3: "millilitre ml millilitres milliliter milliliters cm3 cc cubic_centimetres 毫升",
        1e-2: "centilitre cl centilitres",
        0.1: "decilitre dl decilitres",
        1.0: "litre l liter liters litres litros 升 公升 リットル 리터",
        1e3: "cubic_metre m3 cubic_metres cubic_meter cubic_meters kubikmeter mètres_cubes metros_cúbicos "
        "立方米 세제곱미터",
    },
    "time": {
        1e-9: "nanosecond ns nanoseconds",
        1e-6: "microsecond μs microseconds",
        1e-3: "millisecond ms milliseconds millisekunden 毫秒 ミリ秒",
        1.0: "second s sec secs seconds sekunde sekunden secondes segundos 秒 秒钟 초",
        60.0: "minute min mins minutes minuten minutos 分钟 分鐘 分間 分 분",
        3600.0: "hour h hr hrs hours stunde stunden std heure heures hora horas 小时 小時 個小時 个小时 時間 시간",
        86400.0: "day days tag tage tagen jour jours día días werktage werktagen arbeitstage 天 日間 日间 일간",
        604800.0: "week weeks woche wochen semaine semaines semana semanas 周 週 週間 星期 个星期 주간",
        1209600.0: "fortnight fortnights",
    },
    # Months and days do not convert: a month has no fixed length.
    "months": {
        1.0: "month months monat monate monaten mois mes meses 个月 個月 か月 ヶ月 カ月 ヵ月 ケ月 개월",
        12.0: "year years yr yrs jahr jahre jahren an ans année années año años 年 年间 年間 년 년간",
        120.0: "decade decades jahrzehnt jahrzehnte décennies décadas",
    },
    "data": {
        1.0: "byte bytes 字节",
        1e3: "kilobyte kb kilobytes",
        1e6: "megabyte mb megabytes",
        1e9: "gigabyte gb gigabytes",
        1e12: "terabyte tb terabytes",
        1e15: "petabyte pb petabytes",
        1024.0: "kibibyte kib",
        1048576.0: "mebibyte mib",
        1073741824.0: "gibibyte gib",
        1099511627776.0: "tebibyte tib",
    },
    "bits": {1.0: "bit bits", 1e3: "kilobit kbit", 1e6: "megabit mbit megabits", 1e9: "gigabit gbit gigabits"},
    "data rate": {
        1.0: "bit/second bit/s bps",
        1e3: "kilobit/second kbit/s kbps",
        1e6: "megabit/second mbit/s mbps",
        1e9: "gigabit/second gbit/s gbps",
        8e3: "kilobyte/second kb/s",
        8e6: "megabyte/second mb/s",
        8e9: "gigabyte/second gb/s",
    },
    "power": {
        1.0: "watt w watts",
        1e3: "kilowatt kw kilowatts 千瓦",
        1e6: "megawatt mw megawatts 兆瓦",
        1e9: "gigawatt gw gigawatts",
    },
    "energy": {
        1.0: "joule joules j",
        1e3: "kilojoule kj kilojoules",
        1e6: "megajoule mj megajoules",
        4184.0: "kilocalorie kcal kilocalories kilokalorien 千卡 大卡",
        3600.0: "watt_hour wh watt_hours",
        3.6e6: "kilowatt_hour kwh kilowatt_hours kilowatt-hours kilowattstunden 千瓦时",
        3.6e9: "megawatt_hour mwh megawatt_hours megawattstunden",
        3.6e12: "gigawatt_hour gwh gigawatt_hours gigawattstunden",
        3.6e15: "terawatt_hour twh terawatt_hours terawattstunden",
    },
    "frequency": {
        1.0: "hertz hz",
        1e3: "kilohertz khz",
        1e6: "megahertz mhz",
        1e9: "gigahertz ghz",
    },
    "pressure": {
        1.0: "pascal pascals",
        1e2: "hectopascal hpa",
        1e3: "kilopascal kpa",
        1e6: "megapascal mpa",
        1e5: "bar bars",
    },
    "voltage": {1.0: "volt v volts", 1e-3: "millivolt mv", 1e3: "kilovolt kv"},
    "current": {1.0: "ampere amps amperes", 1e-3: "milliampere ma"},
    "decibel": {1.0: "decibel db decibels dezibel"},
    "celsius": {1.0: "degree_Celsius °c celsius ℃ degrees_celsius degrees_c grad_celsius grad 摄氏度"},
    # Read as degrees Celsius: scale and zero differ.
    "fahrenheit": {1.0: "degree_Fahrenheit °f fahrenheit ℉ degrees_fahrenheit degrees_f grad_fahrenheit 华氏度"},
    "speed": {
        1.0: "kilometre/hour km/h kmh kph kmph stundenkilometer kilometres_per_hour kilometers_per_hour 公里每小时",
        1.609344: "mile/hour mph miles_per_hour",
        3.6: "metre/second m/s metres_per_second meters_per_second 米每秒",
        1.852: "knot knots",
    },
    "percent": {
        0.01: "percent % pct per_cent prozent pour_cent por_ciento 퍼센트 パーセント ٪",
        0.001: "permille ‰",
    },
    "points": {
        1.0: "percentage_point percentage_points pp ppt prozentpunkte prozentpunkten points_de_pourcentage "
        "puntos_porcentuales 个百分点 個百分點 百分点 %p %포인트 퍼센트포인트",
        0.01: "basis_point basis_points bps bp basispunkte basispunkten 个基点 基点",
    },
    "count:person": {1.0: "名 人 명"},
}


def _by_name(table: dict[float, str]) -> dict[str, float]:
    return {name.replace("_", " ").lower(): value for value, names in table.items() for name in names.split()}


SCALES = _by_name(_SCALES)
CURRENCIES = {name.replace("_", " "): code for code, names in _CURRENCIES.items() for name in names.split()}
UNITS = {name: (dimension, factor) for dimension, rows in _MEASURES.items() for name, factor in _by_name(rows).items()}
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero", "february feb februar février fevr févr febrero",
            "march mar märz maerz mars marzo", "april apr avril avr abril", "may mai mayo", "june jun juni juin junio",
            "july jul juli juillet juil julio", "august aug août agosto", "september sep sept septembre septiembre",
            "october oct okt oktober octobre octubre", "november nov novembre noviembre",
            "december dec dez dezember décembre déc diciembre dic",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_COUNTED = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty"
)
NUMBER_WORDS = {name: float(value) for value, name in enumerate(_COUNTED.split(), 2)} | {
    "zero": 0.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0, "seventy": 70.0, "eighty": 80.0,
    "ninety": 90.0, "dozen": 12.0,
    "zwei": 2.0, "drei": 3.0, "vier": 4.0, "fünf": 5.0, "deux": 2.0, "trois": 3.0,
    "quatre": 4.0, "sechs": 6.0, "sieben": 7.0, "acht": 8.0, "neun": 9.0, "zehn": 10.0, "elf": 11.0, "zwölf": 12.0,
    "vierzehn": 14.0, "fünfzehn": 15.0, "zwanzig": 20.0, "dreissig": 30.0, "vierzig": 40.0, "fünfzig": 50.0,
    "sechzig": 60.0, "neunzig": 90.0, "anderthalb": 1.5, "eineinhalb": 1.5, "zweieinhalb": 2.5,
    "cinq": 5.0, "sept": 7.0, "huit": 8.0, "dix": 10.0, "trente": 30.0, "dos": 2.0,
    "tres": 3.0, "cuatro": 4.0, "cinco": 5.0, "diez": 10.0, "treinta": 30.0,
}  # fmt: skip
ORDINAL_WORDS = {
    name: value
    for value, name in enumerate(
        "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        2,
    )
}
PART_WORDS = {
    "half": 2.0, "halves": 2.0, "third": 3.0, "thirds": 3.0, "quarter": 4.0, "quarters": 4.0, "fifth": 5.0,
    "fifths": 5.0, "tenth": 10.0, "tenths": 10.0,
}  # fmt: skip
CN_FORMAL = dict(zip("壹贰貳叁參肆伍陆陸柒捌玖", (1, 2, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9), strict=True))
CN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
CN_SMALL = {"十": 10, "百": 100, "千": 1000}
CN_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
CN_NUMERALS = "零〇一二三四五六七八九十百千万萬亿億两兩"
KO_NUMERALS = "영일이삼사오육칠팔구십백천만억조"
