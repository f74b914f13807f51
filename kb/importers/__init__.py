"""Other people's rulings: one module a foreign format, each giving drafts and every line that it did not understand."""
