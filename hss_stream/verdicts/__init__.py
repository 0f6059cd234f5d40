"""Pure decisions on values: who matches, joins, opens, merges, and what it means."""
