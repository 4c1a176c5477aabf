"""The page of a study that improves one artifact: its search, and the certificate."""
