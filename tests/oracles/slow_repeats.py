"""What a text repeats, written from its definition with words and dictionaries."""

import string

REPEAT_WINDOW, NEAR_WINDOW = 500, 100


def slow_repeats(words, known, rare, pairs):
    """Return the counts of `text_repeats.py`.

    `known` and `rare` are sets of words, an unknown word is rare; `pairs` has those seen next to each other.
    """
    counts = dict.fromkeys(("rare", "repeated", "near", "same", "stray_repeats", "wedges", "symbols"), 0)
    last_seen = {}
    for place, word in enumerate(words):
        before = words[place - 1] if place else None
        after = words[place + 1] if place + 1 < len(words) else None
        counts["symbols"] += word in string.punctuation and word != before
        if word in known and word not in rare:
            continue
        counts["rare"] += 1
        earlier = last_seen.get(word)
        last_seen[word] = place
        if earlier is None or place - earlier >= REPEAT_WINDOW:
            continue
        counts["repeated"] += 1
        counts["near"] += place - earlier < NEAR_WINDOW
        same_before = earlier > 0 and words[earlier - 1] == before
        if same_before or (after is not None and words[earlier + 1] == after):
            counts["same"] += 1
        elif after is not None and word in known and not {(before, word), (word, after)} & pairs:
            counts["stray_repeats"] += 1
            counts["wedges"] += (before, after) in pairs
    return list(counts.values())
