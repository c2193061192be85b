"""An answer that says it does not know is known as such in many languages; a negated statement is not taken for one."""

import pytest

from rag_eval_hooks.attribution.claims import split_statements

REFUSALS = """
None of the documents mention the price.
There is nothing in the context about the price.
The price is not mentioned in the documents.
I could find no mention of a price.
Empty Response
The documents are silent on the price.
The retrieved passages give no answer.
It is unclear from the context who built it.
Das geht aus den Dokumenten nicht hervor.
Malheureusement, le contexte fourni ne contient pas cette information.
Aucune information n'est disponible à ce sujet.
No se menciona en los documentos.
Não encontrei essa informação nos documentos.
Il contesto non contiene questa informazione.
Helaas bevatten de documenten hierover geen informatie.
De documenten bevatten hierover geen informatie.
W dokumentach nie ma informacji o cenie.
Belgelerde bu bilgi yok.
Tài liệu không có thông tin về giá.
Это не указано в предоставленных документах.
К сожалению, в документах нет информации о цене.
لا توجد معلومات كافية في السياق.
السياق لا يحتوي على معلومات عن السعر.
मुझे नहीं पता।
संदर्भ में यह जानकारी नहीं है।
เอกสารไม่มีข้อมูลเกี่ยวกับราคา
抱歉，我無法回答這個問題。
資料中沒有提到價格。
その情報は見つかりませんでした。
문서에 해당 정보가 없습니다.
"""
STATEMENTS = """
No answer was given by the minister.
Empty response files are kept for a day.
The law does not say who pays.
The source of the river is not known.
There is no information desk on floor 2.
The document does not expire.
The server sent an empty response.
Les documents ne sont pas gratuits.
Los documentos no son gratuitos.
Die Quellen sind nicht salzig.
O museu não abre às segundas.
De winkel is niet open.
De documenten zijn niet gratis.
Muzeum nie jest czynne w poniedziałek.
Müze pazartesi açık değil.
Не все могут ответить на этот вопрос.
В 1931 году моста не было.
الشركة لا تملك مصنعا.
भारत में यह कानून नहीं है।
พิพิธภัณฑ์ไม่เปิดวันจันทร์
公司没有提供赔偿。
この部屋には窓がありません。
이 방에는 창문이 없습니다.
"""


def kinds(text: str) -> list[str]:
    return [one.kind for one in split_statements(text, [])]


@pytest.mark.parametrize("sentence", REFUSALS.strip().splitlines())
def test_refusals(sentence: str) -> None:
    assert kinds(sentence) == ["refusal"]


@pytest.mark.parametrize("sentence", STATEMENTS.strip().splitlines())
def test_negated_statements(sentence: str) -> None:
    assert kinds(sentence) == ["statement"]


@pytest.mark.parametrize("sentence", ["أين البرج؟", "ውሻ ይገባል፧", "犬は入れますか？"])
def test_questions(sentence: str) -> None:
    assert kinds(sentence) == ["question"]
