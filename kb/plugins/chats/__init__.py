"""What chats share, so that any of them may be deleted; not a plug-in itself."""
