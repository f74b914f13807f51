"""The terms of the index and the weights of what they stand in.

One combined field takes tokens that are analysed already (measured: 2 to 3 times faster than several fields). Several terms
stand at one position: `pl=jednostek` is a folded form of a Polish text, `pl:jednostka` a lemma of it, `#113.5` a rule's number;
`@game:swtcg` is a value of a field.
"""

from __future__ import annotations

# How often a word counts by where it stands, in tenths.
TITLE, ANSWER, BODY, CARD, PROVISION, TOPIC, SYNONYM = 40, 13, 10, 20, 20, 7, 7
NUMBER = 60
# So far apart stand the words of two parts of a ruling, which no phrase spans.
GAP = 50
