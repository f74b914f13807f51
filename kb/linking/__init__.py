"""Finding card names and terms in texts."""
