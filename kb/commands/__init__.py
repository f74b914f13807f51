"""The command line (Typer): one module a command, with its options and its work.

`kb.commands.main` joins them. All modules are loaded with the program, so slow imports stand in
functions.
"""
