"""Parallel Content Matching [P 3] on arrays: filters on properties, in sets that no chip holds."""
