"""Czech: simplemma's dictionary, then the Czech Snowball stemmer on the lemma.

Czech and Slovak players read each other's rulings. Rules of spelling join the two languages, and
pairs of words that no rule explains.
"""

from __future__ import annotations

from kb.language.base import (
    Dictionary,
    Language,
    Sister,
    declined_names,
    derivations,
    longest_first,
    pairs,
    words,
)

# Nouns of action and participles meet their verb.
_DERIVED = derivations(
    """
    ován noun = ovat
    án noun = at
    en ěn noun = it et
    ovan adjective = ovat
    an adjective = at
    en adjective = it et
    ujíc soft = ovat
    c oblique = cí
    áva verb = at
    ka verb = knout
    """,
    noun="í ím ích ími",
    adjective="ý á é í ého ému ém ou ým ých ými",
    verb="t m š me te jí l la lo li",
    soft="í ího ímu ím ích ími",
    oblique="ího ímu ím ích ími",
)
_DICTIONARY = Dictionary("cs", "czech", derived=_DERIVED)
# Endings of card names, possessive adjectives (Londův, Londových) among them. Borrowed names keep
# their e (Daniel), things their k and r (Tank, Rok, Mor).
_DECLENSIONS = pairs("""
    ý á é = ý á é ého ému ém ým í ou ých ými
    í = í ího ímu ím ích ími
    ův ova ovo ovy = ův ova ovo ově ovu ovi ovy ové ových ovým ovými ovou
    in = in ina ino inu ině inem inovi inův iny iných iným inými inou inových
    ek = ek ka ku kovi kem ky kové ků kům cích
    ec = ec ce ci covi cem cové ců cům cích
    ka = ka ky ce ku ko kou ek kám kách kami čin čina čino činy činých \
        kovi kové kům kův kova kovo kově kovu kovy kových kovým
    a = a y e ě i u o ou ovi ové ům ách ám ami in ina iny iných ův ova ovo ově ovu ovy ových ovým
    o = o a u em ovi ové ům ech y ův ova ovo ově ovu ovi ovy ových ovým ovými ovou
    ě = ě i í ím ích ěmi
    ce = ce ci cí cím cích cemi ca cu covi cem cové ců cům cea ceovi ceem
    e = e i í ím ích emi a u ovi em ea eovi eem
    i = i iho imu im iovi iův iova iových
    y = y yho ymu ym yovi yův yova yových
    (?<=.[^aeiouyáéíóúýěů])el = la lovi lu le li lem lové lů lům ly lech lův lova lovo lově lovu \
        lovy lových +
    ůl = ole oli olí olím olích olemi olu olem oly olů olům olech +
    eň ň = ně ni ní něm ním ních němi ňmi ňů ňům ňovi ňové +
    (?<=[aáeíýrl])k (?<=...[ou])k = ci +
    k = cích +
    ch = ši ších +
    (?<=[^aeiouyáéíóúýěů])r (?<=[aeiouyáéíóúýěů].[aeiouyáéíóúýěů])r (?<=....)r = ři +
    $ = a u ou ovi em e ě i y ové ů ům ech ích ím ami ův ova ovo ově ovu ovy ových
""")

_SLOVAK = Sister(
    code="sk",
    spelling=(
        (r"ování", ("ovani",)),
        (r"c(?=en[íýáéo])", ("c", "t")),
        (r"z(?=en[íýáéo])", ("z", "d")),
        (r"ství$", ("stvi", "stvo")),
        (r"ní$", ("ni", "ny")),
        (r"(?<=[^aeiou])ek$", ("ek", "ok")),
        (r"ie$", ("a",)),
        (r"[eě]$", ("e", "a")),
        (r"^j(?=[im])", ("", "j")),
        (r"ou", ("u",)),
        (r"ů", ("o", "u")),
        (r"[éě]", ("e", "i")),
    ),
    sister_spelling=(
        (r"i(?=[eau])", ("",)),
        (r"dz", ("z",)),
        (r"ou$", ("u",)),
    ),
    endings=pairs("""
        í = ie
        í = ia
        í = iu
        ů = ov
        em = om
        ům = om
        ech = och
        ové = ovia
        é = ej
        ou = ú
        ují = ujú
        ej = aj
        a = ia
        y = e
    """),
    words=pairs("""
        zranění zraněná zraněný = poškodenie zranenie
        zranit zraňovat = poškodiť zraniť
        poranění = poškodenie
        vliv = vplyv
        léčit vyléčit léčení uzdravit uzdravení = uzdraviť uzdravenie liečiť vyliečiť
        loďstvo loďstva loďstvu loďstvem = flotila loďstvo
        žoldnéř žoldák = žoldnier
        vůdcovství vůdcovstvím = vodcovstvo
        velitel velení velet = veliteľ velenie veliť viesť
        vést vede vedl = viesť vodca
        střet = konflikt stret
        účinek = účinok efekt
        důsledek = dôsledok následok
        následek = následok dôsledok
        tah tahu tahem tahy = ťah kolo
        hrát zahrát hraje = hrať zahrať
        vynést vyložit vyložení = vyložiť zahrať
        vynechat vynechání = pasovať vynechať
        passnout passuju pass = pasovať pas
        odhodit odhození odhozená = odhodiť odhodenie
        dobrat lízat líznout = ťahať potiahnuť
        otočit otočení otáčet = otočiť otočenie rotovať rotovanie
        tapnout tapnutí tapnutá tapnu tapnul = otočiť rotovať
        abilita = schopnosť
        buff = bonus
        dovednost = schopnosť
        pobít složit zabít = zničiť neutralizovať
        zničit zničení zničená = zničiť zničený
        opravit oprava opravovat = opraviť oprava
        útok útočit zaútočit napadnout napadení napadnutí = útok útočiť zaútočiť napadnúť
        obrana bránit = obrana brániť
        podpořit podpora podporovat = podporiť podpora podporovať
        postavit postavení = postaviť
        odporovat oponovat = oponovať odporovať
        cizí = cudzí iný
        barva = farba
        umístit umístění = umiestniť
        položit = položiť umiestniť
        lícem líc = lícom
        dolů = dole nadol
        nahoru = hore nahor
        tajný = tajný skrytý
        odhalit odhalení odkrýt = odhaliť odhalenie odkryť
        vyměnit výměna = vymeniť výmena
        zaměnit = zameniť vymeniť
        pouze jen = iba len
        zvýšit zvedat zvednout zvýšení = zvýšiť zvyšovať zvýšenie
        snížit snížení klesnout = znížiť zníženie klesnúť
        hodnocení hodnota = hodnotenie hodnota
        cena stát = cena stáť
        zaplatit platit = zaplatiť platiť
        náklady = náklady cena
        vyprší vypršet vypršení = vypršať skončiť
        spadnout zmizet přijít = stratiť skončiť vypršať
        čtyři = štyri
        soupeř protihráč = súper protihráč
        nepřítel = nepriateľ
        chlap panáček = postava
        smět moci = môcť smieť
        vyslanec velvyslanec = veľvyslanec
        místo = miesto
        vstup vstoupit = vstup vstúpiť
        vnitřní = vnútorný
        vnější = vonkajší
        přihodit = prihodiť zvýšiť pridať
        nabídka nabídnout = ponuka ponúknuť
        nejvíc nejvíce = najviac
        více víc = viac
        symbol znak = symbol znak
        rys znaky = znak
        kritický vážný těžký = vážny kritický ťažký
        lehký = ľahký
        bitva = bitka
        válka = vojna
        lidé lidi lidí lidem = ľudia človek
        ztratit ztráta = stratiť strata
        získat zisk = získať zisk
        vybrat výběr = vybrať výber
        zvolit volba = zvoliť voľba
        cíl cílový = cieľ cieľový
        vypořádání vyhodnocení vyhodnotit = vyhodnotenie vyhodnotiť
        sčítat sčítá sečíst = sčítať
        intrika pikle = intrigy
    """),
)


LANGUAGE = Language(
    code="cs",
    first_titles=("Obecné", "Pravidla"),
    note_words=frozenset("Poznámka Poznámky".split()),
    pointing_words=frozenset("tento tato toto tito tyto takový taková takové takoví".split()),
    alphabet="aábcčdďeéěfghiíjklmnňoópqrřsštťuúůvwxyýzž",
    # ČSN 97 6030: ď, ň, ť and the long vowels go with their base.
    sorted_apart="čřšž",
    digraphs={"ch": "h"},
    lemmas=_DICTIONARY.stems,
    forms=_DICTIONARY.forms_of_stems,
    name_forms=declined_names(_DICTIONARY, _DECLENSIONS),
    dictionary=_DICTIONARY,
    adjectives=("í ího ímu ím ích ími", "ý á é ého ému ém ým ou ých ými"),
    suffixes=longest_first(
        "a ach ami am e ech eho emu ej em i ich iho ima imi im imu mi o ou ov ova ove ovi ovy u uv "
        "um y ych ym ymi ovani ovanim ovat oval ovany ovana ovane uje uji ujici ani anim eni enim "
        "any ana ane eny ena ene at it et al il ila nout nul ni nich nim ost osti stvi stvim"
    ),
    function_words=words(
        "a aby aj ale alespoň ani asi aspoň až ať bez bude budem budete budou by byl byla byli "
        "bylo byly být co či dá dal další do ho hned i ich jako je jeho jej její jejich jen jenom "
        "jeden jedna jedno jemu ještě ji jí jich jim již jsem jsi jsme jsou jste k kde když ke "
        "kvůli která které která který ku má mají mám máme mé mi mít mne mně mnou moc mohou mohu "
        "moje můj může můžeme můžu my na nad nám námi nás náš ne nebo nějak nějaký nejsou než ní "
        "nic nich ním no o od ode on ona oni ono pak po pod podle pokud pouze pro proto před přede "
        "přes při s se sebe si sice smí smím své svého svou svůj svých ta tady tak také takže tam "
        "te tebe tedy ten tento této ti tím tímhle to toho tohle tom tomhle tomu toto tu tuto ty "
        "týž u už v vám vás ve více víc však všechno vy z za zda zde ze že ně něj jestli jestliže "
        "kdyby lze tahle tenhle n té těch těm"
    ),
    question_words=words(
        "co čeho čem čemu čím copak jak jaká jaké jaký jakou kam kde kdo kdy koho kolik komu kudy "
        "která které kterého kterém kterému kterou který kteří kterých kterým odkud proč"
    ),
    asking_words=words(
        "každého každý kdokoli něco někdo někoho někomu nikdo všech všichni funguje fungovat "
        "fungují otázka otázky pravidel pravidla pravidlo vysvětlete vysvětli význam znamená "
        "znamenají "
        "ahoj děkuji děkuju díky prosím sorry zdravím"
    ),
    or_words=("NEBO",),
    rule_words=words(
        "pravidlo pravidla pravidle pravidlu bod bodu bodě č článek čl odst odstavec paragraf"
    ),
    version_stem="verz",
    abbreviations=r"resp|např|tj|tzv|viz|č|str",
    names_in_lower_case=True,
    sisters=(_SLOVAK,),
)
