"""The command line (Typer): one module a command has its options and what it does.

`kb.commands.main` puts them together. Modules are loaded with the program: they import at their
top only what loads quickly, and in their functions what a command needs.
"""
