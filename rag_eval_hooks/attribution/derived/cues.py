"""The words that name an operation: `increased by`, `in total`, `im Schnitt`, `占`, in five languages."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

__all__ = ["CUES", "FILLERS", "cues_in"]

CUES: Final[Mapping[str, str]] = {
    "sum": (
        "total* together combined sum sums summed altogether overall both jointly all_told add adds insgesamt "
        "zusammen* summe gesamt* ensemble somme réunis totaux juntos juntas "
        "suma suman sumó conjunto 合计 共计 总计 总共 一共 共 "
        "总和 之和 加起来 合共 总"
    ),
    "difference": (
        "difference differ* gap exceed* margin remain* left surplus deficit profit spread rang* lead ahead more "
        "less fewer higher lower above below longer shorter taller heavier cheaper older younger larger smaller "
        "saved saves saving* net increas* grow* grew rose ris* gain* climb* fell fall* drop* declin* decreas* "
        "reduc* is_up was_up were_up went_up up_by up_from is_down was_down were_down went_down down_by down_from "
        "lost loss* shrank added chang* widen* narrow* unterschied* differenz* abstand mehr weniger höher "
        "niedriger länger kürzer größer kleiner schwerer leichter "
        "teurer billiger gestiegen geschrumpft schrumpf* stieg* steig* "
        "gewachsen wuchs* wächst zugenommen zunahm* zunahme gefallen fiel* gesunken sank* abgenommen verringert* "
        "erhöht* rückgang anstieg gewinn* überschuss verblieb* bleib* übrig rest différence écart moins plus "
        "augment* hauss* baiss* dimin* recul* bénéfice reste restent diferencia más menos aument* creci* subi* "
        "baj* dismin* reduj* beneficio quedan resta 相差 差 多 少 增加 增长 减少 下降 上升 "
        "上涨 提高 降低 下跌 剩 余 利润 高出 低于 高 低 大 小 长 短 "
        "差额 差距"
    ),
    "change": (
        "increas* grow* grew rose ris* gain* climb* surg* jump* expand* fell fall* drop* declin* decreas* is_up "
        "was_up were_up went_up up_by up_from is_down was_down were_down went_down down_by down_from reduc* "
        "reduction lost loss* shrank shrink* chang* cut cheaper more less fewer higher lower larger smaller "
        "faster slower gestiegen geschrumpft schrumpf* stieg* steig* "
        "gewachsen wuchs* wächst wachstum zugenommen zunahm* zunahme "
        "zuwachs* gefallen fiel* gesunken sank* abgenommen verringert* erhöht* erhöhung rückgang anstieg mehr weniger "
        "höher niedriger veränder* augment* hauss* baiss* dimin* recul* croissance progress* chut* plus moins "
        "aument* creci* subi* subió baj* dismin* reduj* caída cayó más menos 增加 "
        "增长 减少 下降 上升 上涨 提高 降低 下跌 下滑 增幅 降幅 "
        "涨幅 跌幅 增长率 同比 多 少 高 低"
    ),
    "share": (
        "share* %_of %_der %_des %_aller %_de %_del turnout quota quote percent_of proportion fraction account* "
        "make_up makes_up made_up portion represent* part of_all out_of one_in half third quarter majority "
        "constitut* compris* anteil* entfallen entfällt entfielen ausmach* macht_aus prozent_der prozent_des "
        "prozent_aller davon parts représent* pour_cent_de pour_cent_des pour_cent_du porcentaje parte proporción "
        "por_ciento_de cuota* 占 比例 份额 占比 比重"
    ),
    "mean": (
        "average* mean averag* per_head typical* durchschnitt* mittel mittelwert im_schnitt moyen* promedi* media "
        "平均 均值 人均"
    ),
    "ratio": (
        "times fold twofold threefold twice factor ratio doubl* tripl* quadrupl* multiple mal fach* doppelt* "
        "dreifach* vierfach* faktor verhältnis fois double triple rapport veces doble razón 倍 比"
    ),
    "per": (
        "per each every apiece capita rate density speed productivity cost_of unit pro je jede* kopf einwohner "
        "dichte chacun chaque par tête densité vitesse por cada densidad velocidad 每 人均 密度 速度 单价 均价"
    ),
    "product": (
        "total* cost costs costing pay* paid price* amount* altogether area product times multipl* worth value "
        "spend spends spent earn* revenue owe* annual* yearly year month week insgesamt kost* preis* betrag "
        "beträgt zahl* fläche gesamt* produkt jährlich* jahr coût* prix surface montant annuel* cuest* costo "
        "precio pag* área importe anual* 费用 价格 支付 付 面积 合计 共 总 金额 每年 年"
    ),
    "adjust_down": (
        "discount* rebate* reduc* after off deduct* net less without withh* save* minus markdown rabatt* skonto "
        "nachlass abzug abzüg* netto nach ohne remise réduction hors_taxe ht après descuento* rebaja neto sin "
        "tras 折扣 优惠 折后 扣除 减去 不含税 实付 税后"
    ),
    "adjust_up": (
        "vat tax* tip interest includ* incl gross plus surcharge* fee* markup mwst mehrwertsteuer* "
        "umsatzsteuer* ust brutto inkl inklusive "
        "zins* zuzügl* aufschlag steuer* tva ttc intérêt* brut taxe* "
        "iva bruto interés* impuesto* 增值税 含税 利息 税 附加 "
        "本息 加上"
    ),
    "part": (
        "percent_of discount* tax* vat interest commission fee* tip save* saving* deposit reduction amount* bonus "
        "rabatt* skonto mwst zins* provision* steuer* anzahlung davon remise tva intérêt* acompte taxe* "
        "descuento* iva comisión interés* impuesto* 折扣 利息 佣金 税 定金 优惠"
    ),
    "dates": (
        "year years yr old age aged since between after later earlier lasted last* for over during within period "
        "long tenure served span* days months weeks jahr* alt alter seit zwischen nach später früher dauer* lang* "
        "tage monate ans années an âge âgé depuis après durée dur* mois jours años año edad desde después meses "
        "días 年 岁 歲 历时 之后 后 天 个月 多年"
    ),
    "until": (
        "until till end* expire* by due conclud* finish* complet* born birth bis läuft ablauf geboren jusqu* fin "
        "termin* expir* né née hasta nació vence 到 至 结束 到期 出生 届满"
    ),
}
"""By operation: its words. `*` stands for any ending, `_` for a blank. One word may name several operations."""
FILLERS: Final = frozenset(
    (
        "about around approximat approx roughli rough squar cubic nearli almost exactli calcul comput work mean "
        "equal amount come repres respect correspond result give yield figur number valu therefor henc thu overal "
        "compar versu against relat period time unit etwa rund ungefähr circa knapp entspricht ergibt beträgt "
        "betrug liegt lag damit also macht somit environ donc soit ainsi aproximadament unos por tanto equival "
        "per cent percent percentag point prozent punkt tabl list document text context row entri contain includ "
        "name mention entre ont été sont fue fueron hat haben ist wurde wurden zwischen gegenüber vergleich seit "
        "divid multipli subtract add dont tard tôt decir tarde danach folglich "
        "année jahr year old age later earlier differ total averag share"
    ).split()
)
"""Stems that say nothing which a source would have to state once the operation is known."""


def cues_in(text: str) -> dict[str, list[tuple[int, int]]]:
    """Returns the operations that a folded text names, each with the spans of its words.

    >>> sorted(cues_in("together they have 12")), sorted(cues_in("平均为12"))
    (['sum'], ['mean'])
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for operation, pattern in _patterns().items():
        spans = [match.span() for match in pattern.finditer(text)]
        if spans:
            found[operation] = spans
    return found


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    compiled = {}
    for operation, words in CUES.items():
        plain, signs = [], []
        for word in words.split():
            escaped = re.escape(word.rstrip("*")).replace("_", " ")
            if word[0] >= "\u3000":
                signs.append(escaped)
            else:
                plain.append(escaped + (r"[^\W\d_]{0,14}" if word.endswith("*") else ""))
        longest = sorted(plain, key=len, reverse=True)
        compiled[operation] = re.compile(
            rf"(?<![^\W\d_])(?:{'|'.join(longest)})(?![^\W\d_])|{'|'.join(sorted(signs, key=len, reverse=True))}"
        )
    return compiled
