"""Where the page scanner is: its states, and the layout of the one array that carries everything.

All that must survive the end of a chunk lives in this array and in the buffers, so that any split of a
page gives the same result. The limits keep memory bounded whatever the page.
"""

# States in the order a page usually goes through them: text, what may become a tag, inside a tag; then
# the rare ones: references, raw text, declarations.
(
    TEXT,
    OPEN,
    END_OPEN,
    NAME,
    BEFORE_ATTRIBUTE,
    ATTRIBUTE,
    AFTER_ATTRIBUTE,
    BEFORE_VALUE,
    DOUBLE_QUOTED,
    SINGLE_QUOTED,
    UNQUOTED,
    CLOSE,
    REFERENCE,
    RAW_OPEN,
    RAW_END,
    RAW_BANG,
    RAW_NESTED,
    DECLARATION,
    COMMENT,
    BOGUS,
    CDATA,
) = range(21)
LAST_RAW_STATE = RAW_NESTED

# Fields of the state array.
(
    STATE,
    SEEN_BYTES,
    STEPS,  # turns of the scanner's loop, which tests hold to a multiple of the bytes
    PAPER_HASH,
    PAPER_COUNT,
    MARKUP_HASH,
    MARKUP_COUNT,
    MARKUP_END,  # end of the markup's noise in this block
    RUNS_END,  # the same with runs collapsed
    MARKUP_FROM,  # where the part of a tag begins that is not yet in the noise buffer; else NOWHERE
    TEXT_LENGTH,
    AFTER_SPACE,  # 1 where a further space would be dropped
    TEXT_MODE,
    HIDDEN_BYTES,
    HIDDEN_TAG,
    HIDDEN_DEPTH,
    TAG_COUNT,
    TAG,
    NAME_KEY,
    NAME_LENGTH,
    IS_END,
    SELF_CLOSING,
    TAG_HIDES,
    ATTRIBUTE_KEY,
    ATTRIBUTE_KIND,
    ATTRIBUTES_SEEN,
    VALUE_LENGTH,
    PENDING_LENGTH,  # a link or base that counts once its tag is closed
    LINKS_LENGTH,
    LINK_COUNT,
    BASE_LENGTH,
    RAW_KIND,
    ESCAPE,  # in a script: 1 after `<!--`, 2 after `<!--<script`
    FOREIGN,  # depth in svg and math
    DASHES,
    MATCHED,
    ROLL_BACK,  # text length before what may turn out to be no text
    ROLL_BACK_SPACE,
    REFERENCE_KIND,
    REFERENCE_LENGTH,
    REFERENCE_KEY,
    REFERENCE_NUMBER,
    TITLE_FROM,
    TITLE_LENGTH,
    TITLE_STATE,
) = range(45)
STATE_FIELDS = 45

# Beyond the end of any chunk, so that nothing is taken from there.
NOWHERE = 1 << 62
# Values of TEXT_MODE: keep the text, count it as hidden, leave it out.
COPY, COUNT, SKIP = range(3)
# Values of TITLE_STATE.
NO_TITLE, IN_TITLE, HAS_TITLE = range(3)
# Values of ATTRIBUTE_KIND; LINK and BASE are never of one tag, so one pending length serves both.
OTHER_ATTRIBUTE, LINK, BASE, STYLE_ATTRIBUTE = range(4)
# Values of REFERENCE_KIND.
NAMED, NUMBER_SIGN, DECIMAL, HEX_SIGN, HEXADECIMAL = range(5)

# Text beyond this is left out; 99.9 % of pages have less than a tenth.
MAX_TEXT = 4 << 20
# What can be rolled back (a reference, a cut end tag) is shorter, so text once this far beyond stays so.
TEXT_MARGIN = 64
# Structure compares sequences in quadratic time; the histogram counts the same tags, for F ≤ D.
MAX_TAGS = 1 << 16
MAX_LINKS = 1 << 20  # bytes of all links together, each with its separator
MAX_VALUE = 4096  # bytes of one link as written; a longer one is no link
MAX_TITLE = 1024
# Zones of the scratch buffer: the attribute value being read, the base address, the title.
VALUE_ROOM = MAX_VALUE + 64
BASE_AT = VALUE_ROOM
TITLE_AT = 2 * VALUE_ROOM
SCRATCH_BYTES = TITLE_AT + MAX_TITLE
LENGTH_BINS = 11
