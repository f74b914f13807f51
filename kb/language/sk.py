"""Slovak: simplemma's dictionary, then the Czech Snowball stemmer on the lemma.

It joins 40 of 40 groups of inflected words of the first three games; either alone 38 and 10.
"""

from __future__ import annotations

from kb.language.base import (
    Dictionary,
    Language,
    declined_names,
    derivations,
    longest_first,
    pairs,
    words,
)

# Nouns of action and participles meet their verb.
_DERIVED = derivations(
    """
    ovan noun = ovať
    an noun = ať
    en noun = iť ieť
    nut noun = núť nuť
    ovan adjective = ovať
    an adjective = ať
    en adjective = iť ieť
    nut adjective = núť nuť
    ujúc soft = ovať
    áva verb = ať
    ieva verb = ieť
    ka verb = knuť knúť
    """,
    noun="ie ia iu í ím iam iach iami",
    adjective="ý á é í ého ému ej ú om ou ým ých ými",
    verb="ť m š me te jú j jme jte júc l la lo li",
    soft="i a e eho emu ej u om ou im ich imi",
)
_DICTIONARY = Dictionary("sk", "czech", derived=_DERIVED)
# Endings of card names, possessive adjectives (Londov, Londových) among them.
_DECLENSIONS = pairs("""
    ý á é = ý á é ého ému om ým í ej ú ou ých ými
    í = í i ieho iemu om ím ia ej iu ou ie ích ími
    ova = ova ovej ovu ovú ovou ove ovy ovi ovom ových ovým ovými ovin ovina oviných
    in = in ina ino ine inho inmu inu inom inej inou inovi inove iny iných iným inými inových
    ok = ok ku ka kovi kom ky kovia kov koch kmi
    ec = ec ca cu ci covi com covia cov coch cami
    ka = ka ky ke ku kou iek ok kám kách kami kin kina kine kiných \
        kovi kom kovia kov koch kova kove kovo kovho kových
    a = a y e i u ou ovi om ovia ov och ám am ách ach ami in ina iných ova ove ovo ovho ových
    o = o a u ovi om e i ovia ov och ami ova ove ovo ovho ovmu ovom ovým ových ovými ovej ovou ovu
    e = e a i u í om iam ím iach ami ea eovi eom
    i = i iho imu im iovi iov iova iových
    y = y yho ymu ym yovi yov yova yových
    (?<=.[^aeiouyáéíóúýäô])ol = la lovi lom lu li ly le lov loch lami +
    (?<=[aáeíýrl])k (?<=...[ou])k = ci +
    $ = a ovi om ou u e i ovia ov och mi y ami ova ove ovo ovho ovmu ovom ovým ových ovej ovou ovu
""")


LANGUAGE = Language(
    code="sk",
    first_titles=("Všeobecné", "Pravidlá"),
    note_words=frozenset("Poznámka Poznámky".split()),
    pointing_words=frozenset("tento táto toto títo tieto taký taká také takí".split()),
    alphabet="aáäbcčdďeéfghiíjklĺľmnňoóôpqrŕsštťuúvwxyýzž",
    # STN 97 6030: ď, ľ, ň, ť and the long vowels go with their base.
    sorted_apart="äčôšž",
    digraphs={"ch": "h"},
    lemmas=_DICTIONARY.stems,
    forms=_DICTIONARY.forms_of_stems,
    name_forms=declined_names(_DICTIONARY, _DECLENSIONS),
    dictionary=_DICTIONARY,
    adjectives=("í ieho iemu om ím ia ej iu ou ie ích ími", "ý á é ého ému om ým ej ú ou ých ými"),
    suffixes=longest_first(
        "a ach ami am e ej eho emu i ia iu ie ieho iemu iach iam iami ich im imi mi o ou om och "
        "ov ova ovej ovi ovho ovmu ove ovych ovym ovymi u y ych ym ymi ovanie ovania ovaniu "
        "ovanim ovat ovany ovana ovane oval uje uju ujuci anie ania aniu enie enia eniu any ana "
        "ane eny ena ene at it et al il ila nie nia niu nim"
    ),
    function_words=words(
        "a aby aj ale alebo ani asi až bez bol bola boli bolo bude budem budete by byť cez dá do "
        "ešte ho i iba ich im je jeho jej k ku len lebo ma má majú mať mi mna mňa mne môj môže "
        "môžem možno moze musí my na nad nám nás nech nej nich ním nie o od on ona oni ono po pod "
        "podľa potom pre preto pri s sa si so som sú svoje svojho svojej svoju ta tá tak takže tam "
        "te tejto ten tento ti tie to toho tomto tom tu tú ty tým u už v vám vás vo však všetko z "
        "za zo že jeden jedna jedno ak keď az"
    ),
    question_words=words(
        "ako aká aké akú aký čo či kde kedy kto koho komu ktorá ktoré ktorého ktorej ktorému ktorí "
        "ktorou ktorú ktorých ktorým ktorý počas prečo keby"
    ),
    asking_words=words(
        "hocikto každého každý ktokoľvek niečo niekoho niekomu niekto nikto všetci všetkých "
        "funguje fungovať fungujú otázka otázky pravidiel pravidlo pravidlá vysvetli "
        "vysvetlite význam znamená znamenajú "
        "ahoj ďakujem prosím sorry vďaka zdravím"
    ),
    or_words=("ALEBO",),
    rule_words=words(
        "pravidlo pravidla pravidle pravidlu bod bodu bode č článok čl ods odsek paragraf"
    ),
    version_stem="verzi",
    abbreviations=r"resp|napr|t\.j|tj|pozri",
    names_in_lower_case=True,
)
