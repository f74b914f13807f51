"""The browser's index: buckets of rows, of which a query loads only the ones that it needs.

`base.js` names the folder of the buckets and the first key of each. The folder is named by its
content, so that an open page keeps its index and never mixes two builds. Each file is a script that
calls KB_SHARD(name, data), since a page opened from a file system can load scripts but not fetch; a
worker fetches the same file and parses the text between the first comma and the last parenthesis.

Kinds of buckets, by the letter that their names begin with:

w  words by their first letters: lemmas with all their forms (see `rows.Forms`), and the postings
   of the texts' words, `lang=word` (see `rows.Terms`)
v  other postings by name: an idea `lang!idea`, a rule's number `#113.5`, a value `@card:`,
   `@source:`, `@id:` or `@formerly:`
s  words of the texts without their first letter, for slips in it
c  blocks of cards, by their numbers
d  columns of a block of documents: length, game, kind, authority, status, languages, topics, dates,
   rules
g  the layout of a block of documents: fields, languages and lengths of their segments
x  the data of results: id, titles, texts and cards

Modules: `rows` makes the rows; `writer` cuts them into files; `settings` has the constants and word
lists of the program, which the browser's script gets with the index.
"""

from kb.search.browser.writer import BASE, write_index

__all__ = ["BASE", "write_index"]
