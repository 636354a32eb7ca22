"""The experiments. ``declared`` lists them by topic; the others are what some of them do."""
