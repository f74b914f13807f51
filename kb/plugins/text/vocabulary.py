"""The words that mark the parts of plain documents, in all languages of the program.

Regular expressions, read without regard to case. The alternatives of each stand in the order of
the languages: Czech, English, Polish, Russian, Slovak.
"""


def _any(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


QUESTION = _any("ot[aá]zka|ot|dotaz", "question", "pytanie|pyt", "вопрос", "ot[aá]zka|ot")
ANSWER = _any("odpověď|odpoved|odp", "answer", "odpowied[zź]|odp", "ответ|отв", "odpove[ďd]|odp")
# Polish P, O and Russian В, О. Latin and Cyrillic letters that look alike are mixed up.
QUESTION_LETTER = "[QPВ]"
ANSWER_LETTER = "[AАOО]"
# Between a mark and its number, and before the mark of what a version has added.
NUMBER_SIGN = _any("č\\.", "no\\.|#", "nr\\.?", "№", "č\\.")
NEW = _any("nov[ée]", "new|revised|rev", "now[ey]", "новое|новый", "nov[áé]")
QUESTION_COLUMN = _any(
    "ot[aá]zk\\w+|dotazy?", "questions?", "pytani\\w+", "вопросы?", "ot[aá]zk\\w+"
)
ANSWER_COLUMN = _any(
    "odpov\\w+", "answers?|reply|rulings?", "odpowied\\w+|odp\\.", "ответы?", "odpov\\w+"
)
# The answer of a table that has no column with one of the words above.
RULING_COLUMN = _any(
    "rozhodnut[íi]|výklad",
    "clarifications?",
    "orzeczeni[ea]|rozstrzygnięci[ea]",
    "рулинги?|решени[ея]|разъяснени[ея]",
    "rozhodnuti[ea]|výklad",
)
# And of one that has no column with these either.
EXPLANATION_COLUMN = _any(
    "vysvětlen[íi]|vysvetleni", "explanations?", "wyjaśnieni[ea]", "пояснени[ея]", "vysvetleni[ea]"
)
CARD_COLUMN = _any("kart[ay]", "cards?", "kart[ay]", "карт[аы]", "kart[ay]")
# A question, a card and an answer, as a table may name its columns in each language.
COLUMNS = {
    "cs": ("Otázka", "Karta", "Odpověď"),
    "en": ("Question", "Card", "Answer"),
    "pl": ("Pytanie", "Karta", "Odpowiedź"),
    "ru": ("Вопрос", "Карта", "Ответ"),
    "sk": ("Otázka", "Karta", "Odpoveď"),
}
EXAMPLE = _any(
    "příklad(?:y)?|priklad", "examples?", "przykład(?:y)?", "пример(?:ы)?", "príklad(?:y)?"
)
FOR_EXAMPLE = _any("například", "for example|for instance", "na przykład", "например", "napríklad")
NOTE = _any(
    r"poznámka|pozn\.|poznamka",
    r"note|translator['’]?s note",
    r"uwaga|dopisek|przyp(?:is|\.)?",
    r"примечание|прим\.",
)
BY_TRANSLATOR = _any(
    r"(?:od\s+)?překladatel\w*",
    r"(?:by|from)\s+the\s+translator",
    r"(?:od\s+)?tłumac\w*",
    r"от\s+переводчика|переводчика|перев\.?",
    r"(?:od\s+)?prekladateľ\w*",
)
TRANSLATOR = _any("překladatel", "translator", "tłumacz", r"перевод|перев\.", "prekladate[ľl]")
ERRATA = _any("errat", "sprostowa", "опечат|эррат")
PAGE = _any(r"strana|stránka|str\.", "page", r"strona|str\.", r"страница|стр\.")
OF = _any("ze?", "of", "z", "из", "zo?")
# Before a colon or a time of day, in the lines of a chat that say who wrote and when.
WROTE = _any(
    r"napsal(?:\(a\)|a)?|píše",
    "wrote|writes",
    r"napisał(?:\(a\)|a)?|pisze",
    r"(?:на)?писал(?:\(а\)|а)?|пишет",
    r"napísal(?:\(a\)|a)?|píše",
)
TODAY = _any("dnes|včera", "today|yesterday", "dzisiaj|dziś|wczoraj", "сегодня|вчера", "dnes|včera")
AT = _any("ve?", "at", "o", "в", "o")
COPYRIGHT = _any(
    "všechna práva", "copyright", "wszelkie prawa", "все права|авторских прав", "všetky práva"
)
# A line with one of these is a sentence, not a heading.
SAID = _any(
    "je|jsou|není|nejsou|může|mohou|smí|nesmí|musí|lze|nelze|zní",
    r"is|are|may|must|can|cannot|does|has|have|will|not|never|reads|\w+n['’]t",
    "jest|są|może|mogą|musi|muszą|można|wolno|nie|brzmi",
    "есть|может|могут|должен|должны|можно|нельзя|не|звучит",
    "je|sú|nie|môže|môžu|nemôže|smie|nesmie|musí|možno|znie",
)
# At the end of a text whose list has conditions, not rulings of their own.
CONDITION = _any("pokud|když", "if|when|unless", "jeśli|jeżeli|gdy", "если|когда", "ak|keď")
