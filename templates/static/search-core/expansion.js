// Turns the words of a query into slots, as kb.search.expansion: their meanings, with weights.
"use strict";
(globalThis.KBSearchModules ??= {}).expansion = (base, { text, query, forms }) => {
  const { expansion: settings, languages, jargon } = base;
  const { exact, form: ofLemma, reading, otherLanguage } = settings;
  const { fold } = text;
  const NUMBER = /^\p{Nd}+(?:\.\p{Nd}+)*$/u;
  const isNumber = (word) => NUMBER.test(word);
  const stopWords = new Map(
    Object.entries(languages).map(([lang, { stopWords: words }]) => [
      lang,
      new Set(words.map(fold)),
    ]),
  );
  const isStopWord = (word, lang) => stopWords.get(lang)?.has(fold(word)) ?? false;
  const isFamiliar = (word, lang) => isStopWord(word, lang) || forms.isKnown(word, lang);

  // The languages that a query is most likely written in: those that know most of its words, whose
  // forms are loaded.
  function likelyLanguages(words, langs) {
    const telling = words.filter((word) => !isNumber(word));
    const counts = langs.map((lang) => telling.filter((word) => isFamiliar(word, lang)).length);
    const most = Math.max(...counts);
    return langs.filter((_, at) => counts[at] === most);
  }

  // Puts the words that a hyphen joins in place of one that nobody knows.
  async function divide(root, langs) {
    const leaves = [...query.leaves(root), ...query.excludedLeaves(root)];
    const typed = leaves.flatMap((leaf) => leaf.words || leaf.text);
    await forms.load(typed.flatMap((word) => [word, ...text.parts(word)]));
    const isKnown = (word) => langs.some((lang) => forms.isKnown(word, lang));
    function divided(word) {
      const [joined, ...pieces] = text.parts(word);
      const isWhole = isKnown(word) || isKnown(joined || word);
      return pieces.length && !isWhole && pieces.every(isKnown) ? pieces : [word];
    }
    for (const leaf of leaves) {
      const own = leaf.words || [leaf.text];
      const words = own.flatMap(divided);
      if (leaf.kind === "prefix" || words.length === own.length) continue;
      if (leaf.kind === "phrase") Object.assign(leaf, { text: words.join(" "), words });
      else {
        const nodes = words.map((text) => ({ kind: "word", text }));
        Object.assign(leaf, { kind: "and", nodes });
      }
    }
  }

  // `words`: Map lang -> Map word -> weight; `sure`: postings of its sure words; `lemmas`: its sure
  // terms; `ideas`: postings of words with the same idea.
  class Slot {
    constructor(kind, typed) {
      Object.assign(this, { kind, text: typed, optional: false, corrected: "" });
      Object.assign(this, { isCount: false, isMistyped: false, isSlipped: false });
      this.words = new Map();
      this.sure = new Set();
      this.lemmas = new Set();
      this.ideas = [];
      this.sequence = [];
    }

    // Whether a full match must have it, beside other slots.
    get isNeeded() {
      return !this.optional && !this.isCount;
    }

    add(lang, word, weight, isSure = true) {
      if (!this.words.has(lang)) this.words.set(lang, new Map());
      const weights = this.words.get(lang);
      if (weight > (weights.get(word) || 0)) weights.set(word, weight);
      if (isSure) this.sure.add(nameOf(lang, word));
    }
  }
  const nameOf = (lang, word) => (lang ? `${lang}=${word}` : `#${word}`);

  const lemmaName = (lang) => (lemma) => `${lang}:${lemma}`;
  const wordsOf = (name) => forms.lemma(name).words;

  // Whether a folded word fits a pattern of an idea: `word*` stands for every word with that beginning.
  const fits = (word, pattern) =>
    pattern.endsWith("*") ? word.startsWith(pattern.slice(0, -1)) : word === pattern;
  function ideasOf(folded, langs) {
    const ideas = new Set();
    for (const lang of new Set(langs))
      for (const [idea, patterns] of Object.entries(jargon[lang] || {}))
        if (patterns.some((pattern) => fits(folded, pattern))) ideas.add(idea);
    return [...ideas];
  }

  // `langs`: those to search; `likely`: those that the query may be in; `reader`: that of the page.
  class Expander {
    constructor(langs, likely, reader) {
      this.langs = langs;
      this.likely = likely;
      this.reader = langs.includes(reader) ? reader : "";
    }

    // `isBeside`: other words are not optional, so that an optional one means only itself.
    slot(node, isBeside) {
      if (node.kind === "phrase") return this.phrase(node);
      return node.kind === "prefix" ? this.prefix(node) : this.word(node.text, isBeside);
    }

    // Whether a full match needs a leaf only if all leaves are optional.
    isOptional({ kind, text: typed }) {
      if (kind !== "word" || isNumber(typed)) return false;
      return typed.length === 1 || this.likely.some((lang) => isStopWord(typed, lang));
    }

    async phrase({ words, text: typed }) {
      const tokens = forms.tokens(words);
      await forms.load(tokens);
      const slot = new Slot("phrase", typed);
      slot.sequence = tokens.map((token) => {
        const word = new Slot("word", token);
        for (const lang of this.langs) this.addOfTexts(word, lang, token, exact);
        return word;
      });
      return slot;
    }

    // The slot of a phrase that matches any forms of its words.
    async byLemmas({ text: typed }) {
      const slot = new Slot("phrase", typed);
      const words = forms.tokens(typed.split(" ")).map((token) => this.word(token));
      slot.sequence = await Promise.all(words);
      return slot;
    }

    // `meant`: words with the prefix that the texts may have in other forms.
    async prefix({ text: typed, meant = [] }) {
      const slot = new Slot("prefix", typed);
      const shortest = (one, other) => one.length - other.length || forms.alphabetic(one, other);
      const wordsIn = async (lang) =>
        (await forms.starting(fold(typed), lang)).sort(shortest).slice(0, settings.maxExpansion);
      const words = await Promise.all(this.langs.map(wordsIn));
      await forms.load(words.flat());
      this.langs.forEach((lang, at) => {
        const weight = ["", lang].includes(this.reader) ? exact : otherLanguage;
        for (const word of words[at]) this.addOfTexts(slot, lang, word, weight);
      });
      await this.mean(
        slot,
        meant.map(({ word, lang }) => [word, lang, ofLemma]),
      );
      return slot;
    }

    // Adds a folded word of the texts, and its lemmas there.
    addOfTexts(slot, lang, word, weight) {
      slot.add(lang, word, weight);
      for (const name of forms.textLemmas(word, lang).map(lemmaName(lang))) slot.lemmas.add(name);
    }

    async word(typed, isBeside = false) {
      const slot = new Slot("word", typed);
      await forms.load([typed]);
      slot.optional = this.isOptional({ kind: "word", text: typed });
      if (isNumber(typed)) {
        slot.isCount = typed.length <= settings.countDigits;
        slot.add("", typed, exact);
        slot.lemmas.add(`#${typed}`);
        await this.mean(
          slot,
          this.langs.map((lang) => [typed, lang, exact]),
        );
        return slot;
      }
      const knowing = (langs) => langs.filter((lang) => forms.isKnown(typed, lang));
      const [likely, all] = [knowing(this.likely), knowing(this.langs)];
      const known = likely.length ? likely : all;
      if (slot.optional && isBeside) for (const lang of known) slot.add(lang, fold(typed), exact);
      else
        await this.mean(
          slot,
          known.map((lang) => [typed, lang, exact]),
        );
      if (slot.optional) return slot;
      if (!known.length) await this.correct(slot);
      this.guessIdeas(slot, fold(typed));
      return slot;
    }

    // Adds the meanings of words: [word, language, weight].
    async mean(slot, words) {
      const spelled = words.flatMap(([word, lang, weight]) =>
        [word, ...text.parts(word).slice(0, 1)].map((form) => ({ form, lang, weight })),
      );
      await forms.load(spelled.map(({ form }) => form));
      const meanings = spelled.flatMap(({ form, lang, weight }) => {
        slot.add(lang, fold(form), weight);
        const { lemmas, others } = forms.analyze(form, lang);
        return [
          { lang, lemmas, weight: ofLemma * weight },
          { lang, lemmas: others, weight: ofLemma * reading * weight },
        ];
      });
      await forms.loadLemmas(meanings.flatMap(({ lang, lemmas }) => lemmas.map(lemmaName(lang))));
      for (const { lang, lemmas, weight } of meanings) {
        const names = lemmas.map(lemmaName(lang));
        for (const name of names) slot.lemmas.add(name);
        for (const other of [...forms.namesIn(lemmas), ...names.flatMap(wordsOf)])
          slot.add(lang, other, weight);
      }
    }

    // Adds the corrections of a mistyped word, in the likely languages.
    async correct(slot) {
      const folded = fold(slot.text);
      const letters = (word) => [...word].sort().join("");
      const isSlip = ({ word }) =>
        folded.length > settings.swapped || letters(word) === letters(folded);
      const near = await forms.similar(folded, this.likely, settings.maxSlips);
      const nearest = (one, other) =>
        one.distance - other.distance ||
        other.inTexts - one.inTexts ||
        forms.alphabetic(one.word, other.word) ||
        forms.alphabetic(one.lang, other.lang);
      const corrections = near.filter(isSlip).sort(nearest).slice(0, settings.maxSlips);
      await this.mean(
        slot,
        corrections.map(({ word, lang, distance }) => [word, lang, settings.slip[distance]]),
      );
      slot.isMistyped = corrections.length > 0;
      slot.isSlipped = corrections.some(({ word }) => text.isSlip(folded, word));
      // The reader's language before English, and English before the others.
      const strangeness = ({ lang }) => (lang === this.reader ? 0 : lang === "en" ? 1 : 2);
      const [meant] = corrections
        .filter(({ word, inTexts }) => inTexts && text.isSlip(folded, word))
        .sort((one, other) => one.distance - other.distance || strangeness(one) - strangeness(other));
      slot.corrected = meant ? forms.unfolded(meant.word, meant.lang) : "";
    }

    guessIdeas(slot, folded) {
      const ideas = ideasOf(folded, [...this.likely, "en"]);
      slot.ideas = this.likely.flatMap((lang) => ideas.map((idea) => `${lang}!${idea}`));
    }
  }

  return { Expander, divide, isFamiliar, isStopWord, likelyLanguages, nameOf };
};
