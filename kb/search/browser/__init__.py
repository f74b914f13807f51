"""The browser's index: what searching needs, in buckets of which a query loads only its own.

`base.js` names the folder of the buckets, and says with which key each begins. The folder is named
by its content: an open page goes on with the index that it began with, and never mixes two builds.
Each file is a script that calls KB_SHARD(name, data), since a page opened from a file system may
load a script but not fetch; a worker fetches the same file and parses what is between the first
comma and the last parenthesis.

Kinds of buckets, by the letter that their names begin with:

t  terms: the forms of the texts' words (see `rows.packed_forms`), then rows by name. The row of a
   word `lang=word`, an idea `lang!idea` or a rule's number `#113.5` is its posting: documents
   (differences), how many positions each has, positions (differences); of a value `@card:`,
   `@source:` documents alone; of a lemma `lang:lemma` how many documents have it, and the words of
   the texts that may mean it
f  all other forms
w  all folded forms of a language, for words that begin with letters or are near: `w-pl-`
s  words of the texts by what follows their first letter, for slips in it
c  all cards by the words of their names
d  columns of a block of documents: game, kind, authority, status, languages, topics, dates, rules
g  the layout of a block of documents: fields, languages and lengths of their segments
x  what a result shows: id, titles, texts and cards

Modules: `rows` makes what is stored under each key; `writer` cuts the rows into files; `settings`
joins the browser's own modules and gives them the constants and word lists of the program.
"""

from kb.search.browser.writer import BASE, write_index

__all__ = ["BASE", "write_index"]
