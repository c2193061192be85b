"""The words and signs that scale, measure and name numbers: facts only, no code."""

__all__ = [
    "CN_DIGITS",
    "CN_LARGE",
    "CN_NUMERALS",
    "CN_SMALL",
    "CURRENCIES",
    "MONTHS",
    "NUMBER_WORDS",
    "ORDINAL_WORDS",
    "PART_WORDS",
    "SCALES",
    "UNITS",
]

SCALES = {
    "k": 1e3, "thousand": 1e3, "tsd": 1e3, "million": 1e6, "millions": 1e6, "mio": 1e6, "mn": 1e6, "mln": 1e6,
    "millionen": 1e6, "billion": 1e9, "billions": 1e9, "bn": 1e9, "mrd": 1e9, "milliarden": 1e9, "milliards": 1e9,
    "trillion": 1e12, "tn": 1e12, "hundred": 1e2,
    "十": 1e1, "百": 1e2, "千": 1e3, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "兆": 1e12,
    "百万": 1e6, "千万": 1e7, "万亿": 1e12, "十亿": 1e9, "百亿": 1e10, "千亿": 1e11, "만": 1e4, "억": 1e8,
}  # fmt: skip
CURRENCIES = {
    "$": "usd", "€": "eur", "£": "gbp", "¥": "cny-jpy", "₩": "krw", "₹": "inr",
    "dollar": "usd", "dollars": "usd", "usd": "usd", "us$": "usd", "euro": "eur", "euros": "eur", "eur": "eur",
    "pounds": "gbp", "gbp": "gbp", "yen": "cny-jpy", "円": "cny-jpy", "yuan": "cny-jpy", "元": "cny-jpy",
    "rmb": "cny-jpy", "cny": "cny-jpy", "jpy": "cny-jpy", "원": "krw", "crowns": "crown", "chf": "chf",
    "美元": "usd", "欧元": "eur", "人民币": "cny-jpy", "日元": "cny-jpy",
}  # fmt: skip
UNITS = {
    "mm": ("length", 1e-3), "cm": ("length", 1e-2), "m": ("length", 1.0), "km": ("length", 1e3),
    "metre": ("length", 1.0), "metres": ("length", 1.0), "meter": ("length", 1.0), "meters": ("length", 1.0),
    "kilometre": ("length", 1e3), "kilometres": ("length", 1e3), "kilometer": ("length", 1e3),
    "kilometers": ("length", 1e3), "mile": ("length", 1609.344), "miles": ("length", 1609.344),
    "ft": ("length", 0.3048), "feet": ("length", 0.3048), "foot": ("length", 0.3048),
    "米": ("length", 1.0), "公里": ("length", 1e3), "千米": ("length", 1e3), "厘米": ("length", 1e-2),
    "キロ": ("length", 1e3), "メートル": ("length", 1.0), "キロメートル": ("length", 1e3),
    "mg": ("mass", 1e-6), "g": ("mass", 1e-3), "kg": ("mass", 1.0), "t": ("mass", 1e3), "gram": ("mass", 1e-3),
    "grams": ("mass", 1e-3), "kilogram": ("mass", 1.0), "kilograms": ("mass", 1.0), "tonne": ("mass", 1e3),
    "tonnes": ("mass", 1e3), "tons": ("mass", 1e3), "lb": ("mass", 0.45359237), "lbs": ("mass", 0.45359237),
    "公斤": ("mass", 1.0), "千克": ("mass", 1.0), "克": ("mass", 1e-3), "吨": ("mass", 1e3),
    "ml": ("volume", 1e-3), "cl": ("volume", 1e-2), "l": ("volume", 1.0), "liter": ("volume", 1.0),
    "liters": ("volume", 1.0), "litre": ("volume", 1.0), "litres": ("volume", 1.0), "升": ("volume", 1.0),
    "ms": ("time", 1e-3), "s": ("time", 1.0), "sec": ("time", 1.0), "second": ("time", 1.0), "seconds": ("time", 1.0),
    "min": ("time", 60.0), "mins": ("time", 60.0), "minute": ("time", 60.0), "minutes": ("time", 60.0),
    "h": ("time", 3600.0), "hr": ("time", 3600.0), "hrs": ("time", 3600.0), "hour": ("time", 3600.0),
    "hours": ("time", 3600.0), "day": ("time", 86400.0), "days": ("time", 86400.0), "week": ("time", 604800.0),
    "weeks": ("time", 604800.0), "秒": ("time", 1.0), "分钟": ("time", 60.0), "小时": ("time", 3600.0),
    "天": ("time", 86400.0), "周": ("time", 604800.0),
    "month": ("months", 1.0), "months": ("months", 1.0), "个月": ("months", 1.0), "か月": ("months", 1.0),
    "year": ("months", 12.0), "years": ("months", 12.0), "年间": ("months", 12.0), "年間": ("months", 12.0),
    "kb": ("data", 1e3), "mb": ("data", 1e6), "gb": ("data", 1e9), "tb": ("data", 1e12), "bytes": ("data", 1.0),
    "byte": ("data", 1.0), "bits": ("bits", 1.0), "bit": ("bits", 1.0), "kib": ("data", 1024.0),
    "mib": ("data", 1048576.0), "gib": ("data", 1073741824.0),
    "w": ("power", 1.0), "kw": ("power", 1e3), "mw": ("power", 1e6), "gw": ("power", 1e9),
    "hz": ("frequency", 1.0), "khz": ("frequency", 1e3), "mhz": ("frequency", 1e6), "ghz": ("frequency", 1e9),
    "db": ("decibel", 1.0), "°c": ("celsius", 1.0), "celsius": ("celsius", 1.0), "°f": ("fahrenheit", 1.0),
    "km/h": ("speed", 1.0), "kmh": ("speed", 1.0), "mph": ("speed", 1.609344),
    "%": ("percent", 0.01), "percent": ("percent", 0.01), "pct": ("percent", 0.01), "per cent": ("percent", 0.01),
    "prozent": ("percent", 0.01), "℃": ("celsius", 1.0), "‰": ("percent", 0.001),
    "年": ("months", 12.0), "年半": ("months", 18.0), "ヶ月": ("months", 1.0), "カ月": ("months", 1.0),
    "ヵ月": ("months", 1.0), "개월": ("months", 1.0), "년": ("months", 12.0), "日間": ("time", 86400.0),
    "週間": ("time", 604800.0), "時間": ("time", 3600.0), "시간": ("time", 3600.0), "分": ("time", 60.0),
    "jahr": ("months", 12.0), "jahre": ("months", 12.0), "jahren": ("months", 12.0), "monat": ("months", 1.0),
    "monate": ("months", 1.0), "monaten": ("months", 1.0), "woche": ("time", 604800.0), "wochen": ("time", 604800.0),
    "tag": ("time", 86400.0), "tage": ("time", 86400.0), "tagen": ("time", 86400.0), "stunde": ("time", 3600.0),
    "werktage": ("time", 86400.0), "werktagen": ("time", 86400.0), "arbeitstage": ("time", 86400.0),
    "stunden": ("time", 3600.0), "minuten": ("time", 60.0), "sekunden": ("time", 1.0), "metern": ("length", 1.0),
    "mètre": ("length", 1.0), "mètres": ("length", 1.0), "kilomètres": ("length", 1e3),
    "metros": ("length", 1.0), "kilómetros": ("length", 1e3), "heure": ("time", 3600.0), "litros": ("volume", 1.0),
    "kilometern": ("length", 1e3), "gramm": ("mass", 1e-3), "kilo": ("mass", 1.0), "tonnen": ("mass", 1e3),
    "an": ("months", 12.0), "ans": ("months", 12.0), "mois": ("months", 1.0), "jour": ("time", 86400.0),
    "jours": ("time", 86400.0), "heures": ("time", 3600.0), "semaines": ("time", 604800.0),
    "año": ("months", 12.0), "años": ("months", 12.0), "mes": ("months", 1.0), "meses": ("months", 1.0),
    "día": ("time", 86400.0), "días": ("time", 86400.0), "horas": ("time", 3600.0), "semanas": ("time", 604800.0),
    "名": ("count:person", 1.0), "人": ("count:person", 1.0), "명": ("count:person", 1.0),
}  # fmt: skip
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero", "february feb februar février febrero", "march mar märz mars marzo",
            "april apr avril abril", "may mai mayo", "june jun juni juin junio", "july jul juli juillet julio",
            "august aug août agosto", "september sep sept septembre septiembre", "october oct oktober octobre octubre",
            "november nov novembre noviembre", "december dec dezember décembre diciembre",
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
    "ninety": 90.0, "dozen": 12.0, "zwei": 2.0, "drei": 3.0, "vier": 4.0, "fünf": 5.0, "deux": 2.0, "trois": 3.0,
    "quatre": 4.0, "sechs": 6.0, "sieben": 7.0, "acht": 8.0, "neun": 9.0, "zehn": 10.0, "elf": 11.0, "zwölf": 12.0,
    "vierzehn": 14.0, "fünfzehn": 15.0, "zwanzig": 20.0, "dreissig": 30.0, "vierzig": 40.0, "fünfzig": 50.0,
    "sechzig": 60.0, "neunzig": 90.0, "cinq": 5.0, "sept": 7.0, "huit": 8.0, "dix": 10.0, "trente": 30.0, "dos": 2.0,
    "tres": 3.0, "cuatro": 4.0, "cinco": 5.0, "diez": 10.0, "treinta": 30.0,
}  # fmt: skip
ORDINAL_WORDS = {
    name: value
    for value, name in enumerate(
        "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 2
    )
}
PART_WORDS = {
    "half": 2.0, "halves": 2.0, "third": 3.0, "thirds": 3.0, "quarter": 4.0, "quarters": 4.0, "fifth": 5.0,
    "fifths": 5.0, "tenth": 10.0, "tenths": 10.0,
}  # fmt: skip
CN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
CN_SMALL = {"十": 10, "百": 100, "千": 1000}
CN_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
CN_NUMERALS = "零〇一二三四五六七八九十百千万萬亿億两兩"
