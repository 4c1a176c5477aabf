"""Part Q: which evidence and context a proposer is shown."""
