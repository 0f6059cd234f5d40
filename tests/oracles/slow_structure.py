"""Tag distances as the paper defines them, cell by cell."""


def slow_alignment(a, b):
    """Return the global alignment score: S[i][j] over the whole matrix, match 1, everything else 0."""
    score = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, first in enumerate(a, 1):
        for j, second in enumerate(b, 1):
            if first == second:
                score[i][j] = score[i - 1][j - 1] + 1
            else:
                score[i][j] = max(score[i - 1][j], score[i][j - 1], score[i - 1][j - 1])
    return score[len(a)][len(b)]


def slow_tag_distance(a, b):
    """Return D by the quadratic definition; two pages without tags are equal."""
    return 1 - slow_alignment(a, b) / max(len(a), len(b)) if a or b else 0.0


def slow_length_distance(names_a, names_b):
    """Return F: tags counted by length of name, in bins 1 to 10 and longer."""
    bins_a = [sum(min(len(name), 11) == length for name in names_a) for length in range(1, 12)]
    bins_b = [sum(min(len(name), 11) == length for name in names_b) for length in range(1, 12)]
    longer = max(len(names_a), len(names_b))
    return 1 - sum(map(min, bins_a, bins_b)) / longer if longer else 0.0


def slow_rough_distance(a, b):
    """Return R: lengths alone."""
    return 1 - min(len(a), len(b)) / max(len(a), len(b)) if a or b else 0.0
