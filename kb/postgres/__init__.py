"""Publishing to PostgreSQL and answering from it."""

from kb.core.extras import Extra

EXTRA = Extra("postgres", ("psycopg",))
