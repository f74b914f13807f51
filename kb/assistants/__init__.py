"""Answers for language models: tools and resources of the Model Context Protocol."""

from kb.core.extras import Extra

EXTRA = Extra("mcp", ("mcp.server.mcpserver",))
