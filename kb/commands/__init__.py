"""The command line (Click): one module a command, with its options and its work.

`kb.commands.main` imports the module of the command that is called. `kb --help` imports them all,
so slow imports are inside functions.
"""
