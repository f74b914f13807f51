"""The JSON shapes that other programs rely on."""
