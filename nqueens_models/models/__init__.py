"""Each paradigm's statement of the problem on one page, to be read side by side."""
