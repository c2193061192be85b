"""Tells statements from what states nothing checkable: refusals, greetings and closings, questions, lead-ins."""

import re
from typing import Literal

__all__ = ["SentenceKind", "opening_end", "sentence_kind", "statement_start"]

SentenceKind = Literal["statement", "refusal", "courtesy", "question", "lead_in"]

SOURCES = (
    r"(?:the |these |this |any of the |your |its )*"
    r"(?:(?:provided|given|available|supplied|retrieved|above|following) )*"
    r"(?:context|documents?|passages?|sources?|texts?|excerpts?|information|search results?|snippets?|materials?)"
    r"(?: (?:provided|given|available|supplied|above))*"
)
GERMAN_SOURCES = (
    r"(?:in |aus |anhand )?(?:den |dem |der |des |die |das |im )?(?:bereitgestellten? |vorliegenden? |gegebenen? )*"
    r"(?:dokumente?n?|kontexte?s?|quellen?|informationen?|texte?n?|unterlagen|auszügen?)"
)
KNOWING = (
    r"(?:know|find|found|locate|answer|determine|tell|say|provide|see|identify|confirm|help|assist|verify|"
    r"have (?:enough|any|sufficient|the|that|this|access)|be sure|be certain)\b"
)
NOT_ABLE = (
    r"(?:do not|don't|cannot|can not|can't|could not|couldn't|did not|didn't|"
    r"(?:was not|wasn't|were not|weren't|am not|'m not|not) able to|unable to|was unable to|were unable to)"
)
# Each is looked for at the start of a sentence.
REFUSALS = (
    (
        r"(?:i|we)(?: am| are|'m|'re)? (?:(?:really|currently|simply|just) )*"
        rf"(?:{NOT_ABLE} {KNOWING}|(?:not sure|have no|found no|see no)\b)"
    ),
    (
        rf"{SOURCES} (?:does not|do not|doesn't|don't|did not|didn't|never)(?: actually| explicitly| seem to)? "
        r"(?:contain|mention|provide|include|say|state|answer|specify|give|have|cover|address|discuss|tell|list)"
    ),
    rf"{SOURCES} (?:is|are) (?:not |in)(?:sufficient|enough|clear)",
    (
        r"(?:it|this|that) (?:is not|was not|isn't|wasn't) (?:mentioned|stated|specified|clear|given|provided|"
        r"included|covered)"
        rf" (?:in|from|by) {SOURCES}"
    ),
    (
        r"(?:there (?:is|was|are) )?(?:no|not enough|insufficient|not any) (?:relevant |further |such |specific )*"
        r"(?:information|answer|details?|mention|context)"
        r"(?:\W*$| (?:(?:is|was|are|were|could be) )?(?:available|provided|given|found|about|on|regarding|in|for|of|"
        r"that|to)\b)"
    ),
    r"(?:the (?:question|answer) )?(?:cannot|can't|could not) be (?:answered|determined|found|established)",
    r"(?:the (?:question|answer) )?(?:is |this is )?unanswerable\b",
    r"(?:the )?answer (?:is|was) not (?:in|given|found|stated|contained|available|provided)",
    r"unknown\W*$",
    r"not (?:mentioned|stated|specified|given|available|answerable)(?:\W*$| (?:in|by|within|anywhere|here)\b)",
    r"not enough information\b",
    r"(?:dazu|hierzu|darüber) kann ich\b.{0,30}\bkeine?\b",
    r"(?:questo |ciò )?non è (?:menzionat|indicat|specificat|present|riportat)\w* (?:nei|nelle|nel|nella) \w+",
    r"non (?:lo )?so\b",
    r"(?:das |ich )?(?:weiß|weiss) (?:ich |es )*(?:leider )?nicht",
    (
        r"(?:dazu |hierzu |darüber )?(?:gibt es|liegen|finde ich|habe ich|konnte ich).{0,60}"
        r"\bkeine? (?:information|angabe|antwort)"
    ),
    (
        rf"{GERMAN_SOURCES} (?:enthält|enthalten|nennt|nennen|gibt|geben|liefern|sagen|sagt)\b"
        r".{0,60}\b(?:keine?|nichts|nicht)\b"
    ),
    rf"(?:das|dies|es|die antwort) (?:steht|wird|ist|geht)\b.{{0,40}}\bnicht\b.{{0,20}}{GERMAN_SOURCES}",
    r"(?:ich kann|kann ich|ich konnte|konnte ich)\b.{0,80}\bnicht (?:beantworten|finden|sagen|ermitteln|feststellen)",
    r"n/?a\W*$",
    r"je ne (?:sais|peux|trouve|dispose)\b.{0,20}\bpas\b",
    r"(?:les? |la )?(?:documents?|contexte|textes?|sources?) (?:ne|n').{0,40}\bpas\b",
    r"(?:no lo sé|no sé|no (?:puedo|encuentro|tengo|dispongo)\b)",
    (
        r"(?:los? |el |la )?(?:documentos?|contexto|textos?|fuentes?|información) no "
        r"(?:contienen?|mencionan?|dan?|indican?|incluyen?)"
    ),
)
REFUSALS_CJK = (
    r"(?:我|我们)?(?:不知道|不清楚|无法(?:回答|确定|得知|判断|找到|提供|获取)|不能(?:回答|确定))",
    (
        r".{0,20}(?:资料|文档|上下文|信息|文本|内容|材料|段落|文章|来源)(?:中|里|内)?.{0,4}"
        r"(?:(?:没有|未|并未|无法).{0,6}(?:提|说|包含|给出|找到|记载|涉及|相关|足够|任何|回答|确定)|不足)"
    ),
    r"(?:没有|未)(?:找到|提供|提及|提到|查到|检索到)?(?:任何|相关|足够)*的?(?:相关)?(?:信息|资料|内容|答案)",
    r"(?:文中|文档)?(?:没有|并未|未)(?:提及|提到|说明)",
    r"(?:わかりません|分かりません|不明です|答えられません|記載(?:されて(?:い)?(?:ません|ない)|はありません|がありません))",
    r"(?:情報|資料|文書)(?:に|には|が|は).{0,20}(?:ありません|ない|含まれていません)",
    r"(?:모르겠|알 수 없|찾을 수 없|답변할 수 없|정보가 없|언급(?:이|되지))",
)
PREAMBLE = re.compile(
    r"^\W*(?:(?:i'm |i am |we are |we're )?(?:so |very )?sorry\b[,.!:;]?|unfortunately\b,?|apologies\b[,.!]?|"
    r"regrettably\b,?|(?:i'm |i am )?afraid\b,?|but\b|however\b,?|based on [^,]{1,80},|"
    r"according to [^,]{1,80},|from (?:the|these) [^,]{1,60},|"
    r"leider\b|désolé[e]?\b,?|lo siento\b,?|很?抱歉[，,]?|对不起[，,]?|"
    r"申し訳(?:ありません|ございません)[がけ、,]*|죄송(?:합니다|하지만)[,.]?)\s*"
)
REFUSAL = re.compile("(?:" + "|".join(REFUSALS) + ")")
REFUSAL_CJK = re.compile("(?:" + "|".join(REFUSALS_CJK) + ")")
CONTRAST = re.compile(
    r"[,;.]?\s{1,4}(?:but|however|though|although|aber|mais|pero)\b,?\s{1,4}|[，,；;](?:但是|但|不过|然而)[，,]?"
)
OPENING = re.compile(
    rf"\W*(?:(?:based on|according to|from|as (?:stated|described|mentioned) in|per) {SOURCES}"
    rf"|(?:laut|gemäß|basierend auf|auf grundlage|nach) {GERMAN_SOURCES}"
    r"|(?:selon|d'après|según|de acuerdo con) (?:les? |la |los? |el )?"
    r"(?:documents?|documentos?|contexte|contexto|sources?|fuentes?)(?: \w+)?"
    r"|(?:根据|依据)[^，,]{0,10}(?:资料|文档|上下文|信息|文本|内容|材料))\s*[,，:：]\s*"
)
ASSENT = re.compile(
    r"\W*(?:yes|no|yep|nope|ja|nein|doch|oui|non|si|sí|gern|gerne|klar|natürlich|genau|correct|right|exactly|okay|ok|"
    r"是的?|不是?|对|好|はい|いいえ|네|아니요)\W*$"
)
QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|(?<![\w])'[^'\n]{1,300}'(?![\w])|“[^”\n]{1,300}”|‘[^’\n]{1,300}’|《[^》\n]{1,300}》"
)
COURTESY = re.compile(
    r"\W*(?:"
    r"(?:hello|hi|hey|dear)(?: (?:there|all|everyone|team|customer|user|sir|madam|[\w.]{2,20}))?|"
    r"(?:many )?(?:thanks|thank you)(?: (?:so|very) much)?(?: for (?:your|the|asking|reaching|"
    r"contacting)[^.!?:;]{0,60})?|"
    r"you(?:'re| are) (?:very )?welcome|sure(?: thing)?|certainly|of course|absolutely|(?:that's a |"
    r"what a )?(?:great|good) question|"
    r"(?:happy|glad) to help|(?:best|kind|warm) regards(?:, [\w .]{1,40})?|sincerely(?:, [\w .]{1,40})?|cheers|"
    r"i hope (?:this|that|it) (?:helps|answers|clarifies|is helpful|was helpful)[^.!?]{0,60}|hope (?:this|"
    r"that) helps[^.!?]{0,40}|"
    r"(?:please )?(?:let me know|feel free|don't hesitate|do not hesitate|reach out)\b[^.!?]{0,120}|"
    r"if you (?:have|need|want|would like)\b[^.!?]{0,80}(?:questions?|let me know|feel free|ask|assistance|"
    r"just)\b[^.!?]{0,60}|"
    r"here(?:'s| is| are)\b[^.!?]{0,80}:|"
    r"(?:viele|beste|liebe|herzliche|freundliche)n? grüße\b.{0,40}|mit freundlichen grüßen\b.{0,40}|"
    r"(?:vielen )?dank(?:e)?(?: sehr)?|"
    r"kann ich\b.{0,60}|cordialement\b.{0,40}|bien à vous|(?:un )?(?:cordial )?saludos?\b.{0,30}|atentamente\b.{0,30}|"
    r"你好|您好|好的|当然|谢谢(?:您|你)?(?:的.{0,10})?|希望.{0,12}(?:帮助|有用|解决).{0,8}|(?:如果|如)(?:您|你)?.{0,10}(?:问题|疑问|帮助).{0,16}|"
    r"こんにちは|안녕하세요"
    r")\W*"
)


def sentence_kind(sentence: str) -> SentenceKind:
    """Returns what a sentence is for.

    Args:
        sentence: One sentence of an answer, lower case, with citation marks blanked out.

    >>> sentence_kind("i'm sorry, the context does not mention the price.")
    'refusal'
    >>> sentence_kind("the lobby opens at 7:00.")
    'statement'
    """
    text = QUOTED.sub(" ", sentence[:2_000]).strip()
    if not text:
        return "statement"
    if text.rstrip("\"'”’)* ").endswith(("?", "？", "؟", "፧", "\u037e")):
        return "question"
    stripped = text
    for _ in range(4):
        preamble = PREAMBLE.match(stripped)
        if preamble is None:
            break
        stripped = stripped[preamble.end() :]
    core = stripped.lstrip("*_ ")
    if REFUSAL.match(core) or (not core.isascii() and REFUSAL_CJK.match(core)):
        return "refusal"
    if not stripped.strip(" .!,;:*_"):
        return "courtesy"
    if ASSENT.match(text):
        return "courtesy"
    if COURTESY.fullmatch(text):
        return "courtesy"
    if text.rstrip("*_ ").endswith((":", "：")):
        return "lead_in"
    return "statement"


def opening_end(sentence: str) -> int:
    """Returns where the statement begins behind an opening that only names the sources, else 0.

    >>> text = "based on the provided documents, goods can be returned"
    >>> text[opening_end(text):]
    'goods can be returned'
    """
    match = OPENING.match(sentence[:300])
    return match.end() if match and any(char.isalnum() for char in sentence[match.end() :]) else 0


def statement_start(sentence: str) -> int:
    """Returns where the statement begins in a sentence that first refuses and then states something, else 0.

    >>> text = "i couldn't find the price, but the warranty is 2 years"
    >>> text[statement_start(text):]
    'the warranty is 2 years'
    """
    for contrast in CONTRAST.finditer(sentence[:2_000]):
        rest = sentence[contrast.end() :]
        if any(char.isalnum() for char in rest) and sentence_kind(rest) == "statement":
            return contrast.end()
    return 0
