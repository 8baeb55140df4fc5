"""The textbook methods, each its own statement of the problem, so that what is claimed for them can be measured.

All search row by row and count the same thing: a node is a partial placement that breaks no rule, the empty one
included, so that on a plain board of n rows they visit https://oeis.org/A319283 of them (2057 for n = 8).
"""
