"""`python -m kb`."""

from kb.commands.main import main

main()
