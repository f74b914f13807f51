"""The build: its steps, staging and the swap; opening it again."""
