// Parses a query, as kb.search.query, by its rules for signs and quotes: {root, filters}; nodes are
// {kind, text | words | node | nodes}.
"use strict";
(globalThis.KBSearchModules ??= {}).query = ({ query: settings }, { text: { clean, fold, wordsOf } }) => {
  const { maxLength, maxTerms, maxDepth, minPrefix, filters: names, quotes, notWord } = settings;
  const orWords = new Set(settings.orWords);
  const ruleWords = new Set(settings.ruleWords);
  const RULE_NUMBER = /^(?:\p{Nd}{3,}|\p{Nd}+(?:\.\p{Nd}+)+)$/u;
  // A word for a rule, and its number without a space: п113.5.
  const RULE = `(^|[^\\p{L}\\p{N}_])(${settings.ruleWords.join("|")})`;
  const JOINED = new RegExp(`${RULE}(?=\\p{Nd}{3}|\\p{Nd}+\\.\\p{Nd})`, "giu");
  // A rule's number as people type it: 113,5 and 113-5, or with a letter behind it.
  const TYPED_NUMBER = /(^|\P{Nd})(\p{Nd}{3})[.,-](\p{Nd}{1,2})(?![\p{Nd},.-])/gu;
  const filterNames = new Set(names);
  const marks = Object.keys(quotes).join("");
  const AROUND = new RegExp(`^[${marks} ]+|[${marks} ]+$`, "gu");
  const NAME = "(?<name>(?:[\\p{L}\\p{N}_]+:)?)";
  const QUOTED = `(?<minus>-?)${NAME}(?<mark>[${marks}])`;
  const SCAN = `(?<single>-?\\(|[)|])|${QUOTED}|(?<text>[^\\s()|${marks}]+)`;
  // A ruling's id as it is printed, or the address of its page.
  const PAGE = "([\\w-]+)/(?:rulings/)?([\\w-]+)/?(?:index\\.html)?(?:[?#]\\S*)?";
  const ADDRESS = new RegExp(`^(?:\\S+/(?=[^/]+/rulings/))?${PAGE}$`);
  const QUOTED_QUESTION = new RegExp(`^[${marks}]([^${marks}]+\\?)[${marks}]$`, "u");
  const EXCLUSION = /^-\p{L}/u;
  // `-X/-X` on a card.
  const MODIFIER = /^-[\p{L}\p{N}_]\/[-+–−]/u;
  const [BEGINS_WITH_LETTER, ENDS_IN_LETTER] = [/^[\p{L}\p{N}]/u, /[\p{L}\p{N}]$/u];

  // {text, name, isNegated, isQuoted}: a word or a phrase with the name of a filter before it, or a
  // parenthesis or a bar.
  function* cut(text) {
    const scan = new RegExp(SCAN, "gu");
    for (let match; (match = scan.exec(text));) {
      const begins = match.index === 0 || " (|".includes(text[match.index - 1]);
      const { single, minus, name, mark, text: typed } = match.groups;
      if (single) yield { text: single.at(-1), isNegated: begins && single.length > 1 };
      else if (typed) {
        const isNegated = begins && EXCLUSION.test(typed) && !MODIFIER.test(typed);
        const piece = isNegated ? typed.slice(1) : typed;
        const colon = piece.indexOf(":");
        const own = colon < 0 ? {} : { name: piece.slice(0, colon) };
        yield { text: piece.slice(colon + 1), isNegated, ...own };
      } else {
        const end = closing(text, scan.lastIndex - mark.length);
        if (end > 0) {
          const isNegated = begins && minus === "-";
          const quoted = text.slice(scan.lastIndex, end);
          yield { text: quoted, name: name.slice(0, -1), isNegated, isQuoted: true };
          scan.lastIndex = end + 1;
        } else if (name) yield { text: name };
      }
    }
  }

  // The pieces, with NOT, and a filter's name with a space after its colon, drawn to the next one.
  function* combined(pieces) {
    const isNot = ({ name, text, isNegated, isQuoted }) =>
      text === notWord && !(name || isNegated || isQuoted);
    const isName = ({ name = "", text }) => filterNames.has(name.toLowerCase()) && !text;
    const signs = new Set(["(", ")", ...orWords]);
    const isValue = ({ name, text, isNegated, isQuoted }) =>
      !(name || isNegated || (signs.has(text) && !isQuoted));
    let before = null;
    for (const after of pieces) {
      let piece = after;
      if (before && isNot(before)) piece = { ...after, isNegated: true };
      else if (before && isValue(after))
        piece = { ...before, text: after.text, isQuoted: after.isQuoted };
      else if (before) yield before;
      before = isNot(piece) || isName(piece) ? piece : null;
      if (!before) yield piece;
    }
    if (before) yield before;
  }

  // The place of the mark that closes a phrase; -1 if the mark at a place opens none.
  function closing(text, place) {
    if (ENDS_IN_LETTER.test(text.slice(0, place))) return -1;
    for (let end = place + 1; end < text.length; end++)
      if (quotes[text[place]].includes(text[end]))
        return text[end - 1] === " " && BEGINS_WITH_LETTER.test(text.slice(end + 1)) ? -1 : end;
    return -1;
  }

  function shortened(text) {
    const line = clean(text);
    if (line.length <= maxLength) return line;
    const start = line.slice(0, maxLength);
    const space = start.lastIndexOf(" ");
    return space > 0 ? start.slice(0, space) : start;
  }

  function wordsIn({ text, name = "", isQuoted }) {
    const typed = `${name} ${text}`;
    const start = typed.replace(/\*+$/, "");
    const texts = wordsOf(start);
    if (isQuoted && texts.length) {
      const quoted = texts.slice(0, maxTerms);
      return [{ kind: "phrase", words: quoted, text: quoted.join(" ") }];
    }
    const nodes = texts.map((text) => ({ kind: "word", text }));
    if (start !== typed && !isQuoted && nodes.length && nodes.at(-1).text.length >= minPrefix)
      nodes.at(-1).kind = "prefix";
    return nodes;
  }

  // The nodes without the words before a rule's number that say what it is: `rule 113.5`.
  function withoutRuleWords(nodes) {
    const saysRule = ({ kind, text }) => kind === "word" && ruleWords.has(fold(text));
    const isNumber = (node) => RULE_NUMBER.test(node?.text ?? "");
    return nodes.reduceRight(
      (kept, node) => (saysRule(node) && isNumber(kept[0]) ? kept : [node, ...kept]),
      [],
    );
  }

  // Some nodes as one; null for none.
  const joined = (kind, nodes) => (nodes.length > 1 ? { kind, nodes } : (nodes[0] ?? null));

  // `games`: whose rulings are asked for by `game/id` and by the addresses of their pages.
  function parse(text, games = {}) {
    const whole = shortened(text);
    const [, game, id] = ADDRESS.exec(whole.toLowerCase()) ?? [];
    if (Object.hasOwn(games, game)) {
      const named = Object.entries({ game, id, status: "any" });
      return { root: null, filters: named.map(([name, value]) => ({ name, value })) };
    }
    const asked = whole.replace(QUOTED_QUESTION, "$1");
    const others = asked.replace(/https?:\/\/\S+/giu, " ");
    const words = others.trim().split(/\s+/u).length > 2 ? others : asked;
    const numbered = words.replace(JOINED, "$1$2 ").replace(TYPED_NUMBER, "$1$2.$3 ");
    const pieces = combined(cut(numbered));
    const filters = [];
    let terms = 0;

    // Parses up to the closing parenthesis: words, and alternatives of them with OR.
    function group(depth) {
      const runs = [[]];
      for (let { value: piece } = pieces.next(); piece; { value: piece } = pieces.next()) {
        const { isNegated, isQuoted } = piece;
        const sign = isQuoted ? "" : piece.text;
        if (sign === ")") {
          if (depth) break;
        } else if (orWords.has(sign) && !isNegated) runs.push([]);
        else if (sign === "(") {
          const node = depth < maxDepth ? group(depth + 1) : null;
          if (node) runs.at(-1).push(isNegated ? { kind: "not", node } : node);
        } else runs.at(-1).push(...leaf(piece));
      }
      const nodes = runs.map((run) => joined("and", withoutRuleWords(run)));
      return joined("or", nodes.filter(Boolean));
    }

    function leaf(piece) {
      const name = (piece.name ?? "").toLowerCase();
      const value = piece.text.replace(AROUND, "");
      if (filterNames.has(name) && value) {
        filters.push({ name, value, negated: piece.isNegated });
        return [];
      }
      const nodes = wordsIn(piece).slice(0, maxTerms - terms);
      terms += nodes.length;
      return piece.isNegated ? nodes.map((node) => ({ kind: "not", node })) : nodes;
    }

    return { root: group(0), filters };
  }

  // The words, phrases and prefixes of a query in order, without the excluded ones.
  function leaves(node) {
    if (!node || node.kind === "not") return [];
    return node.nodes ? node.nodes.flatMap(leaves) : [node];
  }

  function negations(node) {
    if (!node) return [];
    return node.kind === "not" ? [node] : (node.nodes || []).flatMap(negations);
  }

  const excludedLeaves = (root) =>
    negations(root).flatMap(({ node }) => [...leaves(node), ...excludedLeaves(node)]);

  // The query without the parts that it excludes; null if nothing else is left.
  function withoutExclusions(node) {
    if (!node?.nodes) return node?.kind === "not" ? null : node;
    return joined(node.kind, node.nodes.map(withoutExclusions).filter(Boolean));
  }

  return { parse, leaves, negations, excludedLeaves, withoutExclusions, orWords };
};
