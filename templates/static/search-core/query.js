// Parses a query, as kb.search.query: {root, filters}; nodes are {kind, text | words | node | nodes}.
"use strict";
(globalThis.KBSearchModules ??= {}).query = ({ query: settings }, { text: { clean, wordsOf } }) => {
  const { maxLength, maxTerms, maxDepth, minPrefix, filters: names, quotes } = settings;
  const orWords = new Set(settings.orWords);
  const marks = Object.keys(quotes).join("");
  const FILTER = new RegExp(`^(-?)(${names.join("|")}):(.*)$`, "isu");
  const MARKS_AROUND = new RegExp(`^[${marks}» ]+|[${marks}» ]+$`, "gu");
  const SCAN = `[()|]|-?(?:[\\p{L}\\p{N}_]+:)?[${marks}]|[^\\s()|${marks}]+`;
  // Ends a quoted piece. No typed text has it, since control characters become spaces.
  const QUOTED = "\0";

  // The text cut at spaces, parentheses and quotes.
  function cut(text) {
    const scan = new RegExp(SCAN, "gu");
    const pieces = [];
    for (let match; (match = scan.exec(text));) {
      const [piece] = match;
      const closing = quotes[piece.at(-1)];
      if (closing !== undefined) {
        const ends = [...closing].map((mark) => text.indexOf(mark, scan.lastIndex));
        const end = Math.min(...ends.filter((place) => place >= 0));
        const start = piece.slice(0, -1);
        if (end < Infinity) {
          pieces.push(start + text.slice(scan.lastIndex, end) + QUOTED);
          scan.lastIndex = end + 1;
        } else if (start) pieces.push(start);
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
    const start = piece.replace(/\*+$/, "");
    const texts = wordsOf(start);
    if (piece.endsWith(QUOTED) && texts.length > 1) {
      const quoted = texts.slice(0, maxTerms);
      return [{ kind: "phrase", words: quoted, text: quoted.join(" ") }];
    }
    const nodes = texts.map((text) => ({ kind: "word", text }));
    if (start !== piece && nodes.length && nodes.at(-1).text.length >= minPrefix)
      nodes.at(-1).kind = "prefix";
    return nodes;
  }

  // Some nodes as one; null for none.
  const joined = (kind, nodes) => (nodes.length > 1 ? { kind, nodes } : (nodes[0] ?? null));

  function parse(text) {
    const pieces = cut(shortened(text));
    const filters = [];
    let terms = 0;

    // Parses up to the closing parenthesis: words, and alternatives of them with OR.
    function group(depth) {
      const runs = [[]];
      while (pieces.length) {
        const piece = pieces.shift();
        if (piece === ")") {
          if (depth) break;
        } else if (orWords.has(piece)) runs.push([]);
        else if (piece === "(" || piece === "-(") {
          const node = depth < maxDepth ? group(depth + 1) : null;
          if (node) runs.at(-1).push(piece === "-(" ? { kind: "not", node } : node);
        } else runs.at(-1).push(...leaf(piece));
      }
      return joined("or", runs.map((run) => joined("and", run)).filter(Boolean));
    }

    function leaf(piece) {
      const [, minus, name, rest = ""] = FILTER.exec(piece.replace(QUOTED, "")) || [];
      const value = rest.replace(MARKS_AROUND, "");
      if (value) {
        filters.push({ name: name.toLowerCase(), value, negated: Boolean(minus) });
        return [];
      }
      const isNegated = piece.startsWith("-") && piece.length > 1;
      const nodes = words(isNegated ? piece.slice(1) : piece).slice(0, maxTerms - terms);
      terms += nodes.length;
      return isNegated ? nodes.map((node) => ({ kind: "not", node })) : nodes;
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

  // The excluded leaves.
  const excludedLeaves = (root) =>
    negations(root).flatMap(({ node }) => [...leaves(node), ...excludedLeaves(node)]);

  return { parse, leaves, negations, excludedLeaves };
};
