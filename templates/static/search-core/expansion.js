// Turns the words of a query into slots, as kb.search.expansion: their meanings, with weights.
"use strict";
(globalThis.KBSearchModules ??= {}).expansion = (base, { buckets, text, forms, postings }) => {
  const { expansion: settings, languages, jargon } = base;
  const { exact, form: ofLemma, otherLanguage } = settings;
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

  // The languages that a query is most likely written in: those that know most of its words.
  function likelyLanguages(words, langs) {
    const telling = words.filter((word) => !isNumber(word));
    const count = (lang) => telling.filter((word) => isFamiliar(word, lang)).length;
    const counts = new Map(langs.map((lang) => [lang, count(lang)]));
    buckets.settle();
    const most = Math.max(...counts.values());
    return langs.filter((lang) => counts.get(lang) === most);
  }

  // `words`: Map lang -> Map word -> weight; `sure`: postings of its sure words; `lemmas`: its sure
  // terms; `ideas`: postings of words with the same idea.
  class Slot {
    constructor(kind, typed) {
      Object.assign(this, { kind, text: typed, optional: false, isMistyped: false, corrected: "" });
      this.words = new Map();
      this.sure = new Set();
      this.lemmas = new Set();
      this.ideas = [];
      this.sequence = [];
    }

    add(lang, word, weight, isSure = true) {
      if (!this.words.has(lang)) this.words.set(lang, new Map());
      const weights = this.words.get(lang);
      if (weight > (weights.get(word) || 0)) weights.set(word, weight);
      if (isSure) this.sure.add(nameOf(lang, word));
    }
  }
  const nameOf = (lang, word) => (lang ? `${lang}=${word}` : `#${word}`);

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

  class Expander {
    constructor(langs, likely, reader) {
      this.langs = langs;
      this.likely = likely;
      this.reader = langs.includes(reader) ? reader : "";
    }

    // `isBeside`: other words are not optional, so that an optional one means only itself.
    slot(node, isBeside) {
      if (node.kind === "phrase") return this.phrase(node);
      return node.kind === "prefix" ? this.prefix(node.text) : this.word(node.text, isBeside);
    }

    // Whether a full match needs a leaf only if all leaves are optional.
    isOptional({ kind, text: typed }) {
      if (kind !== "word" || isNumber(typed)) return false;
      return typed.length === 1 || this.likely.some((lang) => isStopWord(typed, lang));
    }

    phrase({ words, text: typed }) {
      const slot = new Slot("phrase", typed);
      slot.sequence = forms.tokens(words).map((token) => {
        const word = new Slot("word", token);
        for (const lang of this.langs) this.addOfTexts(word, lang, token, exact);
        return word;
      });
      return slot;
    }

    // The slot of a phrase that matches any forms of its words.
    byLemmas({ text: typed }) {
      const slot = new Slot("phrase", typed);
      slot.sequence = forms.tokens(typed.split(" ")).map((token) => this.word(token));
      return slot;
    }

    prefix(typed) {
      const slot = new Slot("prefix", typed);
      const shortest = (one, other) => one.length - other.length || forms.alphabetic(one, other);
      for (const lang of this.langs) {
        const weight = ["", lang].includes(this.reader) ? exact : otherLanguage;
        const words = forms.starting(fold(typed), lang).sort(shortest);
        for (const word of words.slice(0, settings.maxExpansion))
          this.addOfTexts(slot, lang, word, weight);
      }
      return slot;
    }

    // Adds a folded word of the texts, and its lemmas there.
    addOfTexts(slot, lang, word, weight) {
      slot.add(lang, word, weight);
      for (const lemma of forms.textLemmas(word, lang)) slot.lemmas.add(`${lang}:${lemma}`);
    }

    word(typed, isBeside = false) {
      const slot = new Slot("word", typed);
      slot.optional = this.isOptional({ kind: "word", text: typed });
      if (isNumber(typed)) {
        slot.add("", typed, exact);
        slot.lemmas.add(`#${typed}`);
        for (const lang of this.langs) this.mean(slot, typed, lang, exact);
        return slot;
      }
      const knowing = (langs) => langs.filter((lang) => forms.isKnown(typed, lang));
      const [likely, all] = [knowing(this.likely), knowing(this.langs)];
      buckets.settle();
      const isKnown = likely.length || all.length;
      for (const lang of likely.length ? likely : all) {
        if (slot.optional && isBeside) slot.add(lang, fold(typed), exact);
        else this.mean(slot, typed, lang, exact);
      }
      if (!slot.optional) {
        if (!isKnown) {
          this.correct(slot);
          this.guessAlike(slot, fold(typed));
        }
        this.guessIdeas(slot, fold(typed));
      }
      return slot;
    }

    // Adds the meanings of a word of a language.
    mean(slot, word, lang, weight) {
      for (const form of [word, ...text.parts(word).slice(0, 1)]) {
        slot.add(lang, fold(form), weight);
        const { lemmas } = forms.analyze(form, lang);
        const names = lemmas.map((lemma) => `${lang}:${lemma}`);
        for (const name of names) slot.lemmas.add(name);
        for (const other of [...forms.namesIn(lemmas), ...names.flatMap(postings.wordsOf)])
          slot.add(lang, other, ofLemma * weight);
      }
    }

    // Adds the corrections of a mistyped word, in the likely languages.
    correct(slot) {
      const folded = fold(slot.text);
      const letters = (word) => [...word].sort().join("");
      const isSlip = ({ word }) =>
        slot.text.length > settings.swapped || letters(word) === letters(folded);
      const near = forms.similar(folded, this.likely, settings.maxSlips).filter(isSlip);
      const nearest = (one, other) =>
        one.distance - other.distance ||
        other.inTexts - one.inTexts ||
        forms.alphabetic(one.word, other.word) ||
        forms.alphabetic(one.lang, other.lang);
      const corrections = near.sort(nearest).slice(0, settings.maxSlips);
      for (const { word, lang, distance, inTexts } of corrections) {
        slot.isMistyped = true;
        if (inTexts && text.isSlip(folded, word)) slot.corrected ||= forms.unfolded(word, lang);
        this.mean(slot, word, lang, settings.slip[distance]);
      }
    }

    // Adds guesses at words with the same idea.
    guessIdeas(slot, folded) {
      const ideas = ideasOf(folded, [...this.likely, "en"]);
      slot.ideas = this.likely.flatMap((lang) => ideas.map((idea) => `${lang}!${idea}`));
    }

    // Adds guesses at words that look alike.
    guessAlike(slot, folded) {
      const { alike, alikeLeast, alikeMost } = settings;
      for (const lang of this.likely)
        for (const [word, part] of forms.alike(folded, lang, alikeLeast, alikeMost))
          slot.add(lang, word, alike * part, false);
    }
  }

  return { Expander, isFamiliar, isStopWord, likelyLanguages, nameOf };
};
