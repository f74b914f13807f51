// What the words of a query can mean, as kb.search.expansion: terms of the index with weights.
"use strict";
(globalThis.KBSearchModules ??= {}).expansion = (
  settings,
  languages,
  { shards, text, forms, postings },
) => {
  const { weights, exact, group, slips, piece, limit, familiar, inTextsBonus, margin } = settings;
  const { fold, parts } = text;
  const NUMBER = /^\p{Nd}+(?:\.\p{Nd}+)*$/u;
  const stopWords = new Map(
    Object.entries(languages).map(([lang, language]) => [lang, new Set(language.stopWords)]),
  );
  const isStopWord = (word, lang) => stopWords.get(lang)?.has(fold(word)) ?? false;
  const isNumber = (word) => NUMBER.test(word);
  const isKnown = (word, lang) => forms.analyze(word, lang).how !== "stem";
  const exactForms = (word, langs) =>
    Object.fromEntries(langs.map((lang) => [`${lang}=${fold(word)}`, 1]));
  // All of them are looked up, so that all of their shards are requested at once.
  const occurs = (terms) =>
    Object.keys(terms).filter((term) => postings.frequency(term)).length > 0;

  // The languages that a query is most likely written in.
  function likelyLanguages(words, langs) {
    const familiarity = (word, lang) => {
      const known = familiar[forms.analyze(word, lang).how];
      return known ? known + (forms.inTexts(fold(word), lang) ? inTextsBonus : 0) : 0;
    };
    const score = (lang) => words.reduce((sum, word) => sum + familiarity(word, lang), 0);
    const scores = new Map(langs.map((lang) => [lang, score(lang)]));
    shards.settle();
    const best = Math.max(0, ...scores.values());
    return best ? langs.filter((lang) => scores.get(lang) >= best - margin) : langs;
  }

  function addMeanings(terms, word, lang, factor) {
    const add = (term, weight) => {
      terms[term] ??= weight;
    };
    for (const [form, share] of [
      [word, 1],
      ...parts(word)
        .slice(0, 1)
        .map((joined) => [joined, piece]),
    ]) {
      add(`${lang}=${fold(form)}`, exact * factor * share);
      const { lemmas, how } = forms.analyze(form, lang);
      for (const lemma of lemmas)
        add(`${lang}:${lemma}`, (lemma[0] === "+" ? group : weights[how]) * factor * share);
    }
  }

  class Expander {
    constructor(langs, likely) {
      this.langs = langs;
      this.likely = likely;
    }

    // {kind, text, terms, sequence, optional, corrected}: `sequence` has the terms of each word of a phrase.
    expand(node) {
      const { kind } = node;
      const expansion = {
        kind,
        text: node.text,
        terms: {},
        sequence: [],
        optional: false,
        corrected: "",
      };
      if (kind === "phrase")
        expansion.sequence = node.words.map((word) => exactForms(word, this.langs));
      else if (kind === "prefix") expansion.terms = this.prefixed(node.text);
      else if (isNumber(node.text))
        expansion.terms = {
          ["#" + node.text]: settings.number,
          ...exactForms(node.text, this.langs),
        };
      else this.expandWord(expansion);
      return expansion;
    }

    // A phrase by lemmas, for when nothing has it as it was written.
    expandPhraseByLemmas(expansion) {
      expansion.sequence = expansion.text.split(" ").map((word, at) => {
        const { terms } = this.expand({ kind: "word", text: word });
        return Object.keys(terms).length ? terms : expansion.sequence[at];
      });
    }

    prefixed(start) {
      const words = forms.starting(fold(start), this.langs, limit);
      const terms = this.langs.flatMap((lang) => words[lang].map((word) => `${lang}=${word}`));
      return Object.fromEntries(terms.slice(0, 2 * limit).map((term) => [term, 1]));
    }

    expandWord(expansion) {
      const { text: word, terms } = expansion;
      const known = this.likely.filter((lang) => isKnown(word, lang));
      for (const lang of known.length ? known : this.langs) addMeanings(terms, word, lang, 1);
      shards.settle();
      const isLetter = word.length === 1 && !/\p{Nd}/u.test(word);
      expansion.optional = isLetter || this.likely.some((lang) => isStopWord(word, lang));
      if (expansion.optional || this.occurs(terms)) return;
      for (const lang of this.langs) addMeanings(terms, word, lang, 1);
      shards.settle();
      if (!this.occurs(terms)) this.correct(expansion);
    }

    occurs(terms) {
      const found = occurs(terms);
      if (!found) shards.settle();
      return found;
    }

    // A mistyped word: what stands nearest to it and occurs.
    correct(expansion) {
      const rank = (form) => [
        form.distance,
        this.likely.includes(form.lang) ? 0 : 1,
        form.inTexts ? 0 : 1,
      ];
      const nearest = (one, other) =>
        forms.compare(rank(one), rank(other)) ||
        forms.alphabetic(one.word, other.word) ||
        forms.alphabetic(one.lang, other.lang);
      const guesses = forms
        .similar(fold(expansion.text), this.langs)
        .sort(nearest)
        .map((form) => {
          const terms = {};
          addMeanings(terms, form.word, form.lang, slips[form.distance] ?? slips[2]);
          return { form, terms, occurs: occurs(terms) };
        });
      shards.settle();
      let corrections = {};
      for (const { form, terms } of guesses.filter((guess) => guess.occurs)) {
        if (Object.keys(corrections).length && form.distance > 1) continue;
        expansion.corrected ||= forms.unfolded(form.word, form.lang);
        corrections = { ...terms, ...corrections };
      }
      Object.assign(expansion.terms, corrections);
    }
  }

  return { Expander, isKnown, isNumber, isStopWord, likelyLanguages };
};
