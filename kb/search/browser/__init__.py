"""The browser's index: what searching needs, cut into shards of which a query loads only its own.

Each shard is a script that calls KB_SHARD(name, data), since a page opened from a file system may
load a script but not fetch; a worker fetches the same file and parses what is between the first
comma and the last parenthesis. A shard is named by its content: one that did not change keeps its
address, and one that did never mixes with an older base.

Kinds of shards, by the letter that their names begin with:

f  forms by folded form: for each lemma a line `lang[~*] stem lemma`, a tab and the endings (~ of a
   sister language; * the texts have it; ? a lemma that no ruling has); then, for each lemma that
   words in other shards mean too, a line `lang! lemma`, a tab and those words of the texts
   in a small base, behind that, the postings of words: see `together`
w  all folded forms behind their languages, for words that begin with letters or are near
p  postings: of a word `lang=word`, an idea `lang!idea`, a rule's number `#113.5`: documents
   (differences), how many positions each has, positions (the first, then differences); of values
   of fields `@card:`, `@source:` documents alone; of a lemma `lang:lemma` how many documents
   have it, and of a stem `lang:~stem` the words of the texts that mean it
s  words of the texts by what follows their first letter, for slips in it
n  the folded card names that rulings have, for the card filter
c  all cards by the words of their names
d  columns of a block of documents: game, kind, authority, status, languages, topics, dates, rules
g  the layout of a block of documents: fields, languages and lengths of their segments
a  what every answer needs, one file: the words for ideas, and in a small base all columns and
   layouts instead of `d` and `g`
x  what a result shows: id, titles, texts and cards

base.js says where each shard begins.

Modules: `shards` cuts rows into files and cuts again only where rows changed; `together` puts
postings into the files of forms; `rows` knows what the shards hold; `index_writer` has what both
ways of making an index share: `write` from nothing, and `update` from the one before; `word_lines`
keeps the rows of forms and words, `table_lines` reads those that an update needs; `settings` gives
the browser the constants and word lists of the program; `modules` joins the browser's own modules.
"""

from kb.search.browser.index_writer import ALWAYS, Offline
from kb.search.browser.shards import BASE
from kb.search.browser.update import Before, update_offline
from kb.search.browser.write import write_offline

__all__ = ["ALWAYS", "BASE", "Before", "Offline", "update_offline", "write_offline"]
