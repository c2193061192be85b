"""Tells statements from what states nothing checkable: refusals, greetings and closings, questions, lead-ins."""

import re
from typing import Literal

from rag_eval_hooks.attribution.refusal_phrases import GERMAN_SOURCES, SOURCES, refuses

__all__ = ["SentenceKind", "opening_end", "sentence_kind", "statement_start"]

SentenceKind = Literal["statement", "refusal", "courtesy", "question", "lead_in"]

PREAMBLE = re.compile(
    r"^\W*(?:(?:i'm |i am |we are |we're )?(?:so |very )?sorry\b[,.!:;]?|unfortunately\b,?|apologies\b[,.!]?|"
    r"regrettably\b,?|(?:i'm |i am )?afraid\b,?|but\b|however\b,?|based on [^,]{1,80},|"
    r"according to [^,]{1,80},|from (?:the|these) [^,]{1,60},|"
    r"leider\b|désolé[e]?\b,?|malheureusement\b,?|lo siento\b,?|lamentablemente\b,?|infelizmente\b,?|purtroppo\b,?|"
    r"helaas\b,?|niestety\b,?|maalesef\b,?|rất tiếc\b,?|к сожалению\b,?|извините\b,?|عذرا?ً?،?|للأسف،?|क्षमा करें,?|"
    r"ขออภัย|ขอโทษ|"
    r"很?抱歉[，,]?|对不起[，,]?|對不起[，,]?|很?遗憾[，,]?|"
    r"申し訳(?:ありません|ございません)[がけ、,]*|죄송(?:합니다|하지만)[,.]?)\s*"
)
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
MAX_REACTION = 120
REACTION = re.compile(
    r"\W*(?:(?:oh|wow|yeah|yes|yep|yup|no|nope|well|ah|aha|haha\w*|lol|hmm+|okay|ok|true|right|sure|indeed|definitely|"
    r"absolutely|exactly|same here|me too|makes sense|not (?:really|exactly|at all|even)|"
    r"i (?:can )?(?:agree|see|understand)(?: (?:with )?(?:that|you))?|"
    r"(?:i|we) (?:(?:would|do|did) ?(?:n't|not) )?(?:believe|think|guess|bet|hope|know|suppose|imagine)"
    r"(?: (?:so|not|that|(?:they|it|he|she|you|that) (?:is|are|was|were|does|do|did|has|have|can|will)))?)"
    r"(?:\W+|$))*(?:(?:that|this|it|they|he|she|i|you|we)(?: ?'s| ?'re| is| are| was| were| s| sounds?)?|what|how)?"
    r"(?: (?:so|such|pretty|quite|really|very|definitely|actually|too|just|also|an?|sure))*"
    r"(?: (?:true|right|correct|awesome|amazing|cool|great|nice|good|interesting|impressive|incredible|fascinating|sad|"
    r"funny|fun|crazy|lovely|wonderful|terrible|tragedy|shame|lot|point|idea)"
    r"| (?:(?:really|sure|definitely) )?(?:is|are|am|did|does|do|was|can|were|have|has|had|would|could|will)"
    r"(?: ?n't| not)?(?: (?:too|indeed|even))?)?\W*"
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
    if refuses(stripped.lstrip("*_ ")):
        return "refusal"
    if not stripped.strip(" .!,;:*_"):
        return "courtesy"
    if ASSENT.match(text):
        return "courtesy"
    if COURTESY.fullmatch(text) or _reacts(text):
        return "courtesy"
    if text.rstrip("*_ ").endswith((":", "：")):
        return "lead_in"
    return "statement"


def _reacts(text: str) -> bool:
    """Whether a text only agrees, disagrees or marvels: "oh wow, that's awesome!", "yes it is. me too."."""
    return len(text) <= MAX_REACTION and all(map(REACTION.fullmatch, filter(str.strip, re.split(r"[.!]+", text))))


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
