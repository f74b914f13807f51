"""Deck lists: which cards their lines name, and the rulings that matter for them."""
