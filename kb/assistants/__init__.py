"""Answers for language models: tools and resources of the Model Context Protocol."""
