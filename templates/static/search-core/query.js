// Parses a query, as kb.search.query: {root, filters}; nodes are {kind, text | words | node | nodes}.
"use strict";
(globalThis.KBSearchModules ??= {}).query = (settings, { clean, tokenize }) => {
  const { maxLength, maxTerms, maxDepth, minPrefix, filters: names, quotes } = settings;
  const orWords = new Set(settings.orWords);
  const marks = Object.keys(quotes).join("");
  const FILTER = new RegExp(`^(-?)(${names.join("|")}):(.*)$`, "isu");
  const MARKS_AROUND = new RegExp(`^[${marks}» ]+|[${marks}» ]+$`, "gu");
  const unquoted = (text) => text.replace(MARKS_AROUND, "");
  const SCAN = `[()|]|-?(?:[\\p{L}\\p{N}_]+:)?[${marks}]|[^\\s()|${marks}]+`;
  // Ends a quoted piece. No typed text has it, since control characters become spaces.
  const QUOTED = "\0";

  // The text cut at spaces, parentheses and quotes.
  function cut(text) {
    const scan = new RegExp(SCAN, "gu");
    const pieces = [];
    for (let match; (match = scan.exec(text));) {
      const piece = match[0];
      const closing = quotes[piece.at(-1)];
      if (closing !== undefined) {
        const ends = [...closing]
          .map((mark) => text.indexOf(mark, scan.lastIndex))
          .filter((end) => end >= 0);
        if (!ends.length) {
          if (piece.length > 1) pieces.push(piece.slice(0, -1));
          continue;
        }
        const end = Math.min(...ends);
        pieces.push(piece.slice(0, -1) + text.slice(scan.lastIndex, end) + QUOTED);
        scan.lastIndex = end + 1;
      } else if (piece === "(" && pieces.at(-1) === "-") pieces[pieces.length - 1] = "-(";
      else pieces.push(piece);
    }
    return pieces.filter((piece) => piece !== "-");
  }

  function shortened(text) {
    const line = clean(text);
    if (line.length <= maxLength) return line;
    const start = line.slice(0, maxLength);
    const space = start.lastIndexOf(" ");
    return space > 0 ? start.slice(0, space) : start;
  }

  function words(piece) {
    const textsOf = (text) => tokenize(text).map((token) => token.text);
    const toWord = (text) => ({ kind: "word", text });
    if (piece.endsWith(QUOTED)) {
      const quoted = textsOf(piece).slice(0, maxTerms);
      return quoted.length > 1
        ? [{ kind: "phrase", words: quoted, text: quoted.join(" ") }]
        : quoted.map(toWord);
    }
    const start = piece.replace(/\*+$/, "");
    const nodes = textsOf(start).map(toWord);
    if (start !== piece && nodes.length && nodes.at(-1).text.length >= minPrefix)
      nodes.at(-1).kind = "prefix";
    return nodes;
  }

  class Parser {
    constructor(pieces) {
      this.pieces = pieces;
      this.position = 0;
      this.terms = 0;
      this.filters = [];
    }

    parse() {
      const nodes = [];
      while (this.position < this.pieces.length) {
        const node = this.group(0);
        if (node) nodes.push(node);
      }
      return {
        root: nodes.length > 1 ? { kind: "and", nodes } : nodes[0] || null,
        filters: this.filters,
      };
    }

    // Parses up to the closing parenthesis: words, and alternatives of them with OR.
    group(depth) {
      const runs = [[]];
      while (this.position < this.pieces.length) {
        const piece = this.pieces[this.position++];
        if (piece === ")") {
          if (depth) break;
        } else if (orWords.has(piece)) runs.push([]);
        else if (piece === "(" || piece === "-(") {
          const node = depth < maxDepth ? this.group(depth + 1) : null;
          if (node) runs.at(-1).push(piece === "-(" ? { kind: "not", node } : node);
        } else runs.at(-1).push(...this.leaf(piece));
      }
      const nodes = runs
        .filter((run) => run.length)
        .map((run) => (run.length === 1 ? run[0] : { kind: "and", nodes: run }));
      return nodes.length > 1 ? { kind: "or", nodes } : nodes[0] || null;
    }

    leaf(piece) {
      const filter = FILTER.exec(piece.replace(QUOTED, ""));
      if (filter && unquoted(filter[3])) {
        const [, minus, name, value] = filter;
        this.filters.push({
          name: name.toLowerCase(),
          value: unquoted(value),
          negated: Boolean(minus),
        });
        return [];
      }
      const negated = piece.startsWith("-") && piece.length > 1;
      const nodes = words(negated ? piece.slice(1) : piece).slice(0, maxTerms - this.terms);
      this.terms += nodes.length;
      return negated ? nodes.map((node) => ({ kind: "not", node })) : nodes;
    }
  }

  const parse = (text) => new Parser(cut(shortened(text))).parse();

  // The words, phrases and prefixes of a query in order, without the excluded ones.
  function leaves(node) {
    if (!node || node.kind === "not") return [];
    return node.nodes ? node.nodes.flatMap(leaves) : [node];
  }

  function negations(node) {
    if (!node) return [];
    return node.kind === "not" ? [node] : (node.nodes || []).flatMap(negations);
  }

  // The excluded leaves.
  const excludedLeaves = (root) =>
    negations(root).flatMap(({ node }) => [...leaves(node), ...excludedLeaves(node)]);

  return { parse, leaves, negations, excludedLeaves };
};
