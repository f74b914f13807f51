"""The browser's index: the postings of the rulings and the table of forms, cut into shards of which a query loads only its own.

Each shard is a script that calls KB_SHARD(name, data), since a page opened from a file system may load a script but not fetch;
a worker fetches the same file and parses what is between the first comma and the last parenthesis. A shard is named by its
content: one that did not change keeps its address, and one that did never mixes with an older base.

Kinds of shards, by the letter that their names begin with:
f  forms: lines of a folded form, then for each language an entry `lang[*] form lemmas...` (* the texts have it; = the same)
p  postings of the terms: documents (differences) and weights times ten; also @card: and @source: for the filters, and after
   a lemma `lang;lemma` the words of the texts that mean it, for snippets
w  places of the terms in the documents of their postings, for phrases
s  words of the texts by what follows their first letter, for slips in it
c  the folded card names that rulings have, for the card filter
d  columns of a block of documents: length, game, kind, authority, status, languages, topics, dates, rule sets
x  what a result shows: id, titles and texts

Modules: `shards` cuts rows into files and cuts again only where rows changed; `rows` knows what the shards hold;
`write` makes an index from nothing or from the one before.
"""

from kb.search.browser.write import BASE, Before, Offline, update_offline, write_offline

__all__ = ["BASE", "Before", "Offline", "update_offline", "write_offline"]
