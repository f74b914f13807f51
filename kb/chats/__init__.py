"""Answers in chats: Discord by HTTP interactions, Telegram by webhook."""
