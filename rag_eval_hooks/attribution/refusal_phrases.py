"""The phrases with which answers in many languages say that they do not know."""

import re

__all__ = ["GERMAN_SOURCES", "SOURCES", "refuses"]

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
DUTCH_SOURCES = r"(?:de |het )?(?:documenten|context|bronnen|teksten|passages)"
FRENCH_SOURCES = (
    r"(?:les? |la |ces? |cette |l')?(?:documents?|contexte|textes?|sources?|passages?|extraits?|informations?)"
    r"(?: (?:fourni|donné)e?s?)?"
)
RUSSIAN_SOURCES = r"(?:документ|контекст|текст|источник|материал)\w{0,4}"
SPANISH_SOURCES = r"(?:los |el |la |las )?(?:documentos?|contexto|textos?|fuentes?|información|pasajes?)"
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
        rf"{SOURCES} (?:gives?|provides?|contains?|offers?|includes?|has|have) no "
        r"(?:answer|information|mention|details?|data)\b"
    ),
    rf"{SOURCES} (?:is|are) silent (?:on|about)\b",
    rf"none of {SOURCES} (?:contain|mention|include|say|state|provide|give|specif|discuss|address|cover)",
    rf"(?:there is |there's |i (?:see|found|find) )?(?:nothing|no mention)\b.{{0,60}}\b(?:in|by|within) {SOURCES}\b",
    r"(?:i|we) (?:could|can) find no(?:thing)?\b",
    rf"(?:it is |it's )?(?:unclear|not clear|not possible to (?:say|tell|determine)) from {SOURCES}\b",
    (
        r"[^,;:]{1,80}? (?:is not|are not|was not|were not|isn't|aren't|wasn't|weren't) (?:explicitly )?"
        r"(?:mentioned|stated|specified|given|provided|included|covered|available|found|discussed|described|listed)"
        rf" (?:anywhere )?(?:in|by|within) {SOURCES}\W*$"
    ),
    (
        r"(?:it|this|that) (?:is not|was not|isn't|wasn't) (?:mentioned|stated|specified|clear|given|provided|"
        r"included|covered)"
        rf" (?:in|from|by) {SOURCES}"
    ),
    (
        r"(?:there (?:is|was|are) )?(?:no|not enough|insufficient|not any) (?:relevant |further |such |specific )*"
        r"(?:information|answer|details?|mention|context)"
        r"(?:\W*$| (?:(?:is|was|are|were|could be) )?(?:available|provided|given|found|about|on|regarding|in|for|of|"
        r"that|to)\b(?! by\b))"
    ),
    r"(?:the (?:question|answer) )?(?:cannot|can't|could not) be (?:answered|determined|found|established)",
    r"(?:the (?:question|answer) )?(?:is |this is )?unanswerable\b",
    r"(?:the )?answer (?:is|was) not (?:in|given|found|stated|contained|available|provided)",
    r"unknown\W*$",
    r"empty response$",  # what LlamaIndex says where nothing was retrieved, to the letter
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
    rf"(?:das|dies|es) geht (?:\w{{1,15}} )?{GERMAN_SOURCES}\b.{{0,30}}\bnicht hervor",
    rf"(?:das|dies|es|die antwort) (?:steht|wird|ist|geht)\b.{{0,40}}\bnicht\b.{{0,20}}{GERMAN_SOURCES}",
    r"(?:ich kann|kann ich|ich konnte|konnte ich)\b.{0,80}\bnicht (?:beantworten|finden|sagen|ermitteln|feststellen)",
    r"n/?a\W*$",
    r"je ne (?:sais|peux|trouve|dispose)\b.{0,20}\bpas\b",
    (
        rf"{FRENCH_SOURCES} (?:ne |n')(?:\w{{1,12}} )?"
        r"(?:contien|mentionn|indiqu|précis|donn|fourni|parl|dit|dis|permet|répond|comport)\w*"
    ),
    (
        r"aucune? (?:information|mention|réponse|donnée)s?\b.{0,20}"
        r"(?:disponible|fournie?|trouvée?|à ce sujet|concernant|dans)\b"
    ),
    r"(?:no lo sé|no sé|no (?:puedo|encuentro|tengo|dispongo)\b)",
    rf"{SPANISH_SOURCES}(?: \w{{1,15}})? no (?:contienen?|mencionan?|dan?|indican?|incluyen?|dicen?|especifican?)",
    (
        r"(?:esto |eso )?no se (?:menciona|indica|especifica|encuentra|proporciona|dice)n?\b"
        rf".{{0,60}}\ben {SPANISH_SOURCES}"
    ),
    r"no hay (?:suficiente )?(?:información|informacion|respuesta|datos)\b",
    # Portuguese, Italian, Dutch
    r"não (?:sei|encontrei|encontro|posso responder|consigo responder|há (?:informaç|resposta|dados))",
    (
        r"(?:os? |as? )?(?:contexto|documentos?|textos?|fontes?|informaç(?:ão|ões))(?: \w{1,15})? não "
        r"(?:cont[éê]m|mencion|inclu|fornec|indic|diz)"
    ),
    r"(?:isso |isto )?não (?:é|foi|está) (?:mencionad|indicad|informad|especificad)\w* n[oa]s? \w+",
    r"non (?:ho trovato|trovo|posso rispondere|ci sono informazioni)\b",
    (
        r"(?:il |i |le |la |gli )?(?:contesto|documenti?|testi|testo|fonti|informazioni)(?: \w{1,15})? non "
        r"(?:conten|contien|menzion|indic|fornisc|specific|dic)"
    ),
    r"(?:dat |ik )?weet (?:ik )?(?:het |dat )?(?:helaas )?niet",
    rf"{DUTCH_SOURCES} (?:bevat|vermeld|noem|ge[ev]|zeg)\w*\b.{{0,40}}\b(?:geen|niet)\b",
    rf"(?:bevat|vermeld|geven)\w* {DUTCH_SOURCES}\b.{{0,40}}\b(?:geen|niet)\b",
    # Polish, Turkish, Vietnamese
    r"nie (?:wiem|mogę odpowiedzieć|znalaz\w+ (?:informacji|odpowiedzi))\b|brak (?:informacji|odpowiedzi)\b",
    r"(?:w )?(?:dokument|kontek[sś][tc]|źródł)\w* (?:\w{1,15} )?(?:nie ma|nie zawiera|nie wspomina|nie podaj|brak)",
    r"bilmiyorum|(?:belge|bağlam|metin|kaynak)\w*\b.{0,40}\b(?:yok|yer almıyor|bulunm\w+|belirtilm\w+|içermiyor)\W*$",
    r"(?:tôi )?không (?:biết|thể trả lời|tìm thấy thông tin|có (?:đủ )?thông tin)",
    r"(?:tài liệu|ngữ cảnh|văn bản|các nguồn)\b.{0,30}không (?:có thông tin|chứa|đề cập|cung cấp|nêu)",
    # Russian
    r"(?:я )?не (?:знаю|могу (?:ответить|найти|сказать|определить))\b|нет (?:информации|данных|ответа)\b",
    (
        rf"(?:в |из )?(?:\w{{4,20}} ){{0,2}}{RUSSIAN_SOURCES}\b.{{0,20}}"
        r"\b(?:нет (?:информации|ответа|данных|сведений)|не (?:содерж|указ|упом|говор|сообщ)|отсутству)"
    ),
    rf"(?:это |об этом )?не (?:указан|упомян|упомин|сказан)\w* (?:в|о) (?:\w{{4,20}} ){{0,2}}{RUSSIAN_SOURCES}",
    # Arabic, Hindi, Thai
    r"لا (?:أعرف|أعلم|أدري|يمكنني الإجابة|أستطيع (?:الإجابة|تحديد|العثور|معرفة))",
    r"لم أجد|لا توجد? (?:معلومات|إجابة|أي معلومات)",
    (
        r"(?:السياق|المستند|المستندات|الوثائق|النص|النصوص|المصادر|المعلومات)(?: \w{1,15})? (?:لا|لم) "
        r"(?:[يت]حتوي|[يت]ذكر|[يت]تضمن|[يت]وفر)"
    ),
    r"(?:मुझे )?(?:यह )?(?:नहीं (?:पता|मालूम)|पता नहीं)",
    r"(?:दिए गए )?(?:संदर्भ|दस्तावे\S{0,10}|पाठ|स्रोत\S{0,6}) में.{0,40}(?:जानकारी|उल्लेख|उत्तर|जवाब).{0,6} नहीं",
    r"(?:ฉัน|ผม|ดิฉัน)?ไม่(?:ทราบ|รู้)(?:$|\s|ครับ|ค่ะ|คำตอบ)|ไม่(?:มี|พบ)ข้อมูล",
    r"(?:เอกสาร|บริบท|เนื้อหา|ข้อมูล).{0,20}ไม่(?:มีข้อมูล|ได้ระบุ|ระบุ|ได้กล่าวถึง|กล่าวถึง|เพียงพอ)",
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
    r".{0,25}(?:情報|記載|記述|答え|回答)(?:は|が|も).{0,6}(?:ありません|ない|見つかりません|見当たりません|含まれてい(?:ません|ない))",
    r".{0,25}(?:정보|내용|답변|언급)(?:가|이|는|은|를|을)? ?(?:없|찾을 수 없|포함되어 있지 않|나와 있지 않)",
    r"(?:모르겠|알 수 없|찾을 수 없|답변할 수 없|정보가 없|언급(?:이|되지))",
)
REFUSAL = re.compile("(?:" + "|".join(REFUSALS) + ")")
REFUSAL_CJK = re.compile("(?:" + "|".join(REFUSALS_CJK) + ")")
TRADITIONAL = str.maketrans(
    "無沒資訊並關檔確內來記載說問題對應該這個為會於與還從給線經據簡訴價員時間們",
    "无没资讯并关档确内来记载说问题对应该这个为会于与还从给线经据简诉价员时间们",
)


def refuses(sentence: str) -> bool:
    """Whether a sentence in lower case begins like one that says that the answer is not known.

    >>> refuses("i don't know"), refuses("資料中沒有提到價格"), refuses("the law does not say")
    (True, True, False)
    """
    if REFUSAL.match(sentence):
        return True
    if sentence.isascii():
        return False
    return bool(REFUSAL_CJK.match(sentence) or REFUSAL_CJK.match(sentence.translate(TRADITIONAL)))
