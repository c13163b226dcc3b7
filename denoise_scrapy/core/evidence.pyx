# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What the alignment of a new text with a kept one shows: the evidence that the verdict on the two rests on.

Of the kept text its fingerprint is known: its units without their order, but for stop units, and a sample of its runs
in their order. The longest chain of runs that both texts have in the same order aligns them; what stands between two
neighbours of the chain is a place where they differ. Sizes are counted in words, so that scripts whose units are
characters weigh the same, and as log(1 + size); where runs were sampled, they are estimates.

Source: ours. Runs and units are those of the patent text 'Method and system for web page de-duplication'.
"""

from string import ascii_lowercase

import numpy as np

from libc.math cimport fabs, log, log1p
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.algorithm cimport binary_search, lower_bound, sort
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport Shorts
from denoise_scrapy.core.bits cimport BitSet, add_bit, clear, count_bits, has_bit, set_bits, start_of
from denoise_scrapy.core.characters cimport Bytes, crc32_on
from denoise_scrapy.core.feature_strings import read_units
from denoise_scrapy.core.feature_strings cimport (
    IDEOGRAPH, LINE, NUMBER, RUN, RUN_OF_IDEOGRAPHS, SENTENCE, SORT, STOP, FeatureStrings, hash_run, short_hash,
)

# Name of each piece of evidence, and what it means in the reason of a verdict.
ROWS = tuple(tuple(line.split(": ")) for line in """
main units in common: few of its frequent words are there
runs in common: its wording differs
kept runs in common: much of the kept wording is gone
new share: much of it is new
length: for its length the differences count
ratio of lengths: its length differs
words more or less: words are added or gone
halvings: it is so long that a sample is compared
ideographs: for its script the differences count
new words: it has other words
share of new words: it has other words
new numbers: it has other numbers
new names: it has other names
new plain words: it has other words
numbers among new words: it has other numbers
lost words: words are gone
share of lost words: words are gone
balance of words: words are added or gone
lost main units: frequent words are gone
repeated new words: it has other words again and again
share of repeated new words: it has other words again and again
most frequent new word: it has another word again and again
share of respelt words: its spelling differs
replaced places: words are exchanged
added places: words are added
gone places: words are left out
places within lines: words within lines are exchanged
longest new: a part of it is new
longest lost: a part is gone
share of longest new: a part of it is new
share of longest lost: a part is gone
new inside: it says more inside
lost inside: it lacks something inside
longest new inside: it says more inside
longest lost inside: it lacks something inside
new before: it begins in another way
new behind: it says more at its end
lost before: it lacks the beginning
lost behind: it lacks the end
places with a number: other numbers are filled in
places with a name: other names are filled in
small places: a few words are exchanged
places of small words: small words are exchanged
negations: a negation comes or goes
new lines: lines are added
new in lines of its own: lines are added
new within lines: words within lines are added
moved runs: parts are in another order
new sentences: it says more
longest new sentence: it says more
share of new sentences: it says more
new words of the first line: its first line differs
first line told again: its first line is about something else
length of the first line: its first line differs
lost in the first line: its first line differs
new in the first line: its first line differs
""".strip().splitlines())
NAMES = tuple(name for name, _ in ROWS)

# Words that make the contrary of a sentence, in the languages of the stop list; they are stop units or rare.
_NEGATIONS = """
not no never without neither nor nicht kein keine keinen ohne nie niemals ne pas jamais sans sin nunca jamás não sem non
senza mai niet geen zonder не нет без никогда nie bez nigdy değil لا ليس لم بدون नहीं không tidak bukan tanpa 不 没 未 無 无 非
"""

cdef enum:
    # The rows above, in their order.
    MAIN_COMMON
    RUNS_COMMON
    KEPT_COMMON
    NEW_SHARE
    LENGTH
    RATIO
    MORE_OR_LESS
    HALVINGS
    IDEOGRAPHS
    NEW_WORDS
    SHARE_OF_NEW_WORDS
    NEW_NUMBERS
    NEW_NAMES
    NEW_PLAIN
    NUMBERS_AMONG_NEW
    LOST_WORDS
    SHARE_OF_LOST_WORDS
    BALANCE
    LOST_MAIN
    REPEATED
    SHARE_OF_REPEATED
    MOST_FREQUENT
    SHARE_OF_RESPELT
    REPLACED
    ADDED
    GONE
    WITHIN_PLACES
    LONGEST_NEW
    LONGEST_LOST
    SHARE_OF_LONGEST_NEW
    SHARE_OF_LONGEST_LOST
    NEW_INSIDE
    LOST_INSIDE
    LONGEST_NEW_INSIDE
    LONGEST_LOST_INSIDE
    NEW_BEFORE
    NEW_BEHIND
    LOST_BEFORE
    LOST_BEHIND
    NUMBER_PLACES
    NAME_PLACES
    SMALL_PLACES
    PLACES_OF_SMALL_WORDS
    NEGATIONS
    NEW_LINES
    NEW_IN_LINES
    NEW_WITHIN
    MOVED
    NEW_SENTENCES
    LONGEST_SENTENCE
    SHARE_OF_SENTENCES
    FIRST_LINE_NEW
    FIRST_LINE_TOLD
    FIRST_LINE
    FIRST_LINE_LOST
    NEW_IN_FIRST_LINE
    ROW_COUNT

cdef enum:
    NOT_NOVEL  # kinds of units
    WORD
    FIGURE
    NAME

cdef enum:
    FIRST_UNITS = 40  # most units of a first line: more are a paragraph
    FEW = 4  # words of a small place; fewest letters of a word spelt otherwise: one makes another word of `cat`
    UNITS_ASIDE = 2  # units that `rules.gaps` takes off an estimate
    # Most new and lost words together of which some may be spelt otherwise: with more, texts differ by other things.
    MOST_RESPELT = 16
    MOST_LETTERS = 32  # of such a word; longer ones are names of files and the like
    MOST_ALPHABET = 64  # letters put in: Latin ones first, and those of a further script

# Units of a word in scripts without spaces, where units have 1.1 to 1.4 characters: elsewhere five and more.
cdef double PER_WORD = 5 / 3


cdef vector[uint32_t] _negations


cdef int _list_negations():
    for unit in sorted(read_units(_NEGATIONS).hashes.tolist()):
        _negations.push_back(unit)


_list_negations()


cdef struct Kept:
    # Of a kept text: its units, those below a limit; its runs in order, sampled below a limit; lengths.
    BitSet units
    BitSet run_set
    const uint16_t* unit
    size_t unit_count
    uint32_t below
    const uint16_t* main
    size_t main_count
    const uint16_t* runs
    size_t run_count
    uint64_t limit
    double n

cdef struct Common:
    # A run of the new text that the kept one has: its place, and its rank among the kept runs.
    int32_t place
    int32_t rank

cdef struct Place:
    # A part of the new text between two runs of the chain: its units, those that are new, and those that are lost.
    int32_t start
    int32_t end
    double size
    double lost


cdef struct Changed:
    # Units that only one of two texts has: how many are new, how many lost, and these.
    double fresh
    double gone
    BitSet lost


cdef int find_common(FeatureStrings new, const Kept& kept, vector[Common]& found, double* sampled) except -1 nogil:
    """Find the runs that the kept text has; count all that are sampled."""
    cdef:
        vector[uint64_t] ranks  # below the kept runs
        Py_ssize_t place
        size_t i
        uint64_t run
    sampled[0] = 0
    for i in range(kept.run_count):
        ranks.push_back(<uint64_t>kept.runs[i] << 32 | i)
    sort(ranks.begin(), ranks.end())
    for place in range(new.n):
        run = new._run_at(place)
        if run and run >> 32 < kept.limit:
            sampled[0] += 1
            run = run >> 32 & 0xFFFF
            i = lower_bound(ranks.begin(), ranks.end(), run << 32) - ranks.begin()
            if i < ranks.size() and ranks[i] >> 32 == run:
                found.push_back(Common(<int32_t>place, <int32_t>ranks[i]))


cdef int keep_chain(vector[Common]& found) except -1 nogil:
    """Keep the longest chain of common runs that both texts have in the same order."""
    cdef:
        vector[int32_t] ends, numbers, before  # of chains of each length: last rank, its number; the one before each
        vector[Common] chain
        size_t i, length
        int32_t at
    for i in range(found.size()):
        length = lower_bound(ends.begin(), ends.end(), found[i].rank) - ends.begin()
        if length == ends.size():
            ends.push_back(0)
            numbers.push_back(0)
        ends[length], numbers[length] = found[i].rank, i
        at = -1
        if length:
            at = numbers[length - 1]
        before.push_back(at)
    at = -1
    if numbers.size():
        at = numbers.back()
    while at >= 0:
        chain.push_back(found[at])
        at = before[at]
    found.clear()
    for i in range(chain.size()):
        found.push_back(chain[chain.size() - 1 - i])


cdef int find_places(FeatureStrings new, const Kept& kept, const vector[Common]& chain, vector[Place]& out) except -1 nogil:
    """Find where two texts differ: between neighbours of the chain, before the first and behind the last.

    A word that is left out or replaced breaks all runs that it is in, so that as many of the lost runs are not lost
    words. Of a sample, each run stands for `each`.
    """
    cdef:
        double each = <double>(<uint64_t>1 << 32) / <double>kept.limit
        double size, runs
        int32_t start = 0, end, rank = -1, following, length, missing
        size_t i
        Py_ssize_t place
        uint64_t run
    for i in range(chain.size() + 1):
        end, following = new.n, kept.run_count
        if i < chain.size():
            end, following = chain[i].place, chain[i].rank
        runs = (following - rank - 1) * each
        if kept.limit >> 32:
            size = max(end - start, 0)
        else:
            missing = 0
            for place in range(start, end):
                run = new._run_at(place)
                missing += run != 0 and run >> 32 < kept.limit
            size = max((end - start) * <double>missing / (missing + 1) - UNITS_ASIDE, 0.0)
        length = RUN
        if i < chain.size() and new._kind[end] & SORT == IDEOGRAPH:
            length = RUN_OF_IDEOGRAPHS
        if size > 0 or runs > 0:
            out.push_back(Place(min(start, end), end, size, max(runs - (length - 1 if 0 < i < chain.size() else 0), 0.0)))
        if i < chain.size():
            start, rank = end + length, following


cdef int kept_says(FeatureStrings new, const Kept& kept, int32_t start, int32_t end, uint32_t word) noexcept nogil:
    """Count the runs of the kept text that have a word in place of some units."""
    cdef uint32_t[2 * RUN] units
    cdef int32_t i, step, found = 0
    for i in range(RUN - 1):
        units[i] = new._unit[max(0, start - RUN + 1 + i)]
        units[RUN + i] = new._unit[min(end + i, <int32_t>new.n - 1)]
    units[RUN - 1] = word
    for step in range(max(0, RUN - 1 - start), min(RUN, <int32_t>new.n - end + 1)):
        if step == RUN - 1 or new._kind[start - RUN + 1 + step] & SORT != IDEOGRAPH:
            found += has_bit(kept.run_set, <uint16_t>(hash_run(&units[step], RUN) >> 32))
    return found


cdef bint negates(FeatureStrings new, const Kept& kept, const Place& one) noexcept nogil:
    """Return whether a negation is put in, left out or exchanged at a place of a few words."""
    cdef int32_t place
    cdef size_t i
    if one.end - one.start > FEW:
        return False
    for place in range(one.start, one.end):
        if binary_search(_negations.begin(), _negations.end(), new._unit[place]):
            return True
    for i in range(_negations.size() if one.end - one.start < 2 else 0):
        if kept_says(new, kept, one.start, one.end, _negations[i]) > 1:
            return True
    return False


cdef inline double share(double part, double whole) noexcept nogil:
    return part / max(1.0, whole)


cdef inline void keep_most(float* row, double value) noexcept nogil:
    if value > row[0]:
        row[0] = value


cdef class Marks:
    """Units of a new text that the kept one lacks, by kind; and how often each comes, by its hash."""

    cdef vector[uint8_t] kind
    cdef vector[uint32_t] sorted  # hashes of the novel units

    cdef int read(self, FeatureStrings new, const Kept& kept, const uint32_t* names, size_t name_count) except -1 nogil:
        cdef:
            Py_ssize_t place
            uint32_t unit
            uint16_t short
        self.kind.assign(new.n, 0)
        for place in range(new.n):
            unit = new._unit[place]
            short = short_hash(unit)
            if new._kind[place] & STOP or short >= kept.below or has_bit(kept.units, short):
                continue
            self.sorted.push_back(unit)
            if new._kind[place] & SORT == NUMBER:
                self.kind[place] = FIGURE
            elif binary_search(names, names + name_count, unit):
                self.kind[place] = NAME
            else:
                self.kind[place] = WORD
        sort(self.sorted.begin(), self.sorted.end())

    cdef bint has(self, int32_t start, int32_t end, int kind) noexcept nogil:
        """Return whether a novel unit of a kind stands between two places."""
        cdef int32_t place
        for place in range(start, end):
            if self.kind[place] == kind:
                return True
        return False

    cdef bint comes_again(self, uint32_t unit) noexcept nogil:
        """Return whether a novel unit comes twice or more."""
        cdef size_t at = lower_bound(self.sorted.begin(), self.sorted.end(), unit) - self.sorted.begin()
        return at + 1 < self.sorted.size() and self.sorted[at + 1] == unit


cdef int count_words(FeatureStrings new, Marks marks, const Kept& kept, double per, Changed& changed, float* out) except -1 nogil:
    """Find and count the units that only one of the two texts has."""
    cdef:
        BitSet seen, mine
        Py_ssize_t place
        size_t i, j
        double numbers = 0, names = 0, plain = 0, all_new, lost = 0, repeated = 0, most = 0, main_lost = 0
    clear(seen)
    clear(mine)
    clear(changed.lost)
    for place in range(new.n):
        add_bit(mine, short_hash(new._unit[place]))
        if marks.kind[place] and add_bit(seen, short_hash(new._unit[place])):
            numbers += marks.kind[place] == FIGURE
            names += marks.kind[place] == NAME
            plain += marks.kind[place] == WORD
    all_new = numbers + names + plain
    i = 0
    while i < marks.sorted.size():
        j = i
        while j < marks.sorted.size() and marks.sorted[j] == marks.sorted[i]:
            j += 1
        repeated += j - i > 1
        most = max(most, <double>(j - i))
        i = j
    for i in range(kept.unit_count):
        if not has_bit(mine, kept.unit[i]):
            lost += 1
            add_bit(changed.lost, kept.unit[i])
    for i in range(kept.main_count):
        main_lost += not has_bit(mine, kept.main[i])
    changed.fresh, changed.gone = all_new, lost
    out[NEW_WORDS], out[SHARE_OF_NEW_WORDS] = log1p(all_new / per), share(marks.sorted.size(), new.n)
    out[NEW_NUMBERS], out[NEW_NAMES], out[NEW_PLAIN] = log1p(numbers), log1p(names), log1p(plain / per)
    out[NUMBERS_AMONG_NEW] = share(numbers, all_new)
    out[LOST_WORDS], out[SHARE_OF_LOST_WORDS] = log1p(lost / per), share(lost, kept.unit_count)
    out[BALANCE] = share(lost - all_new, lost + all_new)
    out[LOST_MAIN] = share(main_lost, kept.main_count)
    out[REPEATED], out[SHARE_OF_REPEATED] = log1p(repeated / per), share(repeated, all_new)
    out[MOST_FREQUENT] = log1p(most)


cdef int spell(const string& word, const vector[string]& letters, vector[uint32_t]& out) except -1 nogil:
    """Hash a word spelt otherwise: without a letter, with one more or another one, or with two neighbours exchanged."""
    cdef:
        Bytes text = <Bytes>word.data()
        size_t size = word.size(), i, j, start, end
        vector[size_t] at  # where its letters begin, and its end
        uint32_t head = 0, more  # hashes of what is before a letter, and with another one
    for i in range(size + 1):
        if i == size or text[i] >> 6 != 2:  # 2: a further byte of a letter
            at.push_back(i)
    if not FEW <= at.size() - 1 <= MOST_LETTERS:
        return 0
    for i in range(at.size()):
        start, end = at[i], at[min(i + 1, at.size() - 1)]
        out.push_back(crc32_on(head, text + end, size - end))
        for j in range(letters.size()):
            more = crc32_on(head, <Bytes>letters[j].data(), letters[j].size())
            out.push_back(crc32_on(more, text + start, size - start))
            out.push_back(crc32_on(more, text + end, size - end))
        if i + 2 < at.size():
            more = crc32_on(crc32_on(head, text + end, at[i + 2] - end), text + start, end - start)
            out.push_back(crc32_on(more, text + at[i + 2], size - at[i + 2]))
        head = crc32_on(head, text + start, end - start)


cdef int count_respelt(
    FeatureStrings new, Marks marks, const Kept& kept, const Changed& changed, const vector[string]& words,
    const vector[string]& letters, float* out,
) except -1 nogil:
    """Count the words that the two texts spell otherwise at the same place: by a letter, or in two parts.

    Of a word's spellings, one has a lost word's hash by chance in one of a hundred words; none then also stands between
    the same neighbours in a kept run.
    """
    cdef:
        BitSet tried, told
        vector[uint32_t] spellings
        vector[uint64_t] ways  # a word, and the hash of a spelling that is lost
        int32_t place, i
        uint32_t unit
        uint64_t way
        double found = 0
    clear(tried)
    clear(told)
    for place in range(<int32_t>new.n):
        if marks.kind[place] in (WORD, NAME) and add_bit(tried, short_hash(new._unit[place])):
            spellings.clear()
            spell(words[place], letters, spellings)
            for unit in spellings:
                if has_bit(changed.lost, short_hash(unit)):
                    ways.push_back(<uint64_t>new._unit[place] << 32 | unit)
    for place in range(<int32_t>new.n):
        for way in ways:
            unit = way
            if way >> 32 == new._unit[place] and kept_says(new, kept, place, place + 1, unit):
                found += add_bit(told, short_hash(new._unit[place])) + add_bit(told, short_hash(unit))
        if place + 1 < new.n:
            unit = crc32_on(new._unit[place], <Bytes>words[place + 1].data(), words[place + 1].size())
            if has_bit(changed.lost, short_hash(unit)) and kept_says(new, kept, place, place + 2, unit):
                found += add_bit(told, short_hash(unit))
                for i in range(place, place + 2):
                    found += marks.kind[i] > 0 and add_bit(told, short_hash(new._unit[i]))
    out[SHARE_OF_RESPELT] = share(found, changed.fresh + changed.gone)


cdef int measure_places(FeatureStrings new, Marks marks, const Kept& kept, vector[Place]& places, double per, float* out) except -1 nogil:
    """Measure where and how two texts differ."""
    cdef:
        vector[int32_t] begins  # of the line of each unit
        vector[int32_t] ends
        int32_t place, first, last
        double size, lost
        bint inside, alone, has_number, has_name, has_word
        Place one
    begins.resize(new.n + 1)
    ends.resize(new.n + 1)
    for place in range(<int32_t>new.n):
        begins[place] = place
        if place and not new._kind[place] & LINE:
            begins[place] = begins[place - 1]
    for place in range(<int32_t>new.n - 1, -1, -1):
        ends[place] = place + 1
        if place < new.n - 1 and not new._kind[place + 1] & LINE:
            ends[place] = ends[place + 1]
    for one in places:
        size, lost = one.size / per, one.lost / per
        inside = one.start > 0 and one.end < new.n
        has_number = marks.has(one.start, one.end, FIGURE)
        has_name = marks.has(one.start, one.end, NAME)
        has_word = has_number or has_name or marks.has(one.start, one.end, WORD)
        out[REPLACED] += size > 0 and lost > 0
        out[ADDED] += size > 0 and lost == 0
        out[GONE] += size == 0 and lost > 0
        keep_most(&out[LONGEST_NEW], size)
        keep_most(&out[LONGEST_LOST], lost)
        if one.start < ends[0] and one.end < ends[0] + RUN:  # the first words behind the line are in its runs
            out[FIRST_LINE_LOST] += lost
            out[NEW_IN_FIRST_LINE] += size
        if not one.start:
            out[NEW_BEFORE], out[LOST_BEFORE] = size, lost
        if one.end == new.n:
            out[NEW_BEHIND], out[LOST_BEHIND] = size, lost
        if not inside:
            continue
        out[NEW_INSIDE] += size
        out[LOST_INSIDE] += lost
        keep_most(&out[LONGEST_NEW_INSIDE], size)
        keep_most(&out[LONGEST_LOST_INSIDE], lost)
        out[NEGATIONS] += negates(new, kept, one)
        out[NUMBER_PLACES] += has_number and lost > 0
        out[NAME_PLACES] += has_name and not has_number and lost > 0
        out[SMALL_PLACES] += has_word and lost > 0 and size <= FEW
        out[PLACES_OF_SMALL_WORDS] += not has_word and size <= FEW and lost <= FEW
        if size > 0:
            first, last = one.start, one.end - 1
            while has_word and first < last and not marks.kind[first]:
                first += 1
            while has_word and last > first and not marks.kind[last]:
                last -= 1
            alone = begins[first] >= one.start and ends[last] <= one.end
            out[NEW_LINES] += alone
            out[NEW_IN_LINES if alone else NEW_WITHIN] += size
            out[WITHIN_PLACES] += lost > 0 and not alone
    out[FIRST_LINE_LOST], out[NEW_IN_FIRST_LINE] = log1p(out[FIRST_LINE_LOST]), log1p(out[NEW_IN_FIRST_LINE])
    out[SHARE_OF_LONGEST_NEW] = share(out[LONGEST_NEW] * per, new.n)
    out[SHARE_OF_LONGEST_LOST] = share(out[LONGEST_LOST] * per, kept.n)
    for place in range(REPLACED, NEW_WITHIN + 1):
        if place not in (SHARE_OF_LONGEST_NEW, SHARE_OF_LONGEST_LOST):
            out[place] = log1p(out[place])


cdef int measure_sentences(FeatureStrings new, Marks marks, double per, float* out) except -1 nogil:
    """Measure sentences most of whose words are new, and the first line."""
    cdef Py_ssize_t place
    cdef double words = 0, novel = 0, units = 0, sentences = 0, longest = 0, of_all = 0, told = 0, fresh = 0
    for place in range(new.n + 1):
        if place and (place == new.n or new._kind[place] & SENTENCE):
            if 2 * novel > words:
                sentences += 1
                of_all += units
                longest = max(longest, units)
            words, novel, units = 0, 0, 0
        if place < new.n:
            words += not new._kind[place] & STOP
            novel += marks.kind[place] > 0
            units += 1
    place = 0
    while place < new.n and not (place and new._kind[place] & LINE):
        if place < FIRST_UNITS and marks.kind[place]:
            fresh += 1
            told += marks.comes_again(new._unit[place])
        place += 1
    out[NEW_SENTENCES], out[LONGEST_SENTENCE] = log1p(sentences), log1p(longest / per)
    out[SHARE_OF_SENTENCES] = share(of_all, new.n)
    out[FIRST_LINE_NEW], out[FIRST_LINE_TOLD] = share(fresh, min(place, FIRST_UNITS)), log1p(told)
    out[FIRST_LINE] = log1p(place / per)


def evidence(
    FeatureStrings new not None, Shorts units not None, uint32_t below, Shorts main not None,
    uint32_t t, Shorts runs not None, uint64_t limit, double n,
):
    """Return the evidence of a new text against a kept one, float32 of shape (rows,), by the rows of `ROWS`.

    Args:
        new: The new text.
        units: Units of the kept text without stop units, complete below `below`.
        below: Hash below which they are complete, 65536 for all.
        main: Its main feature string, of units that occur more than `t` times.
        t: Its frequency threshold.
        runs: Its sampled runs, in order.
        limit: Hash below which they were sampled.
        n: Its length in units.
    """
    cdef:
        Kept kept
        vector[Common] chain
        vector[Place] places
        Marks marks = Marks.__new__(Marks)
        Changed changed
        vector[string] words, letters
        double sampled = 0, common, new_units = 0, per
        size_t i
        BitSet theirs
        const uint32_t[::1] names = new.names
        Shorts mine = new.main_units(t)
        const uint32_t* name = &names[0] if names.shape[0] else NULL
    found = np.zeros(ROW_COUNT, np.float32)
    cdef float[::1] out = found
    per = PER_WORD if len(new.text) < 2 * new.n else 1.0
    kept.below, kept.limit, kept.n = below, limit, n
    kept.unit, kept.unit_count = start_of(units), units.shape[0]
    set_bits(kept.units, kept.unit, kept.unit_count)
    kept.main, kept.main_count, kept.runs, kept.run_count = start_of(main), main.shape[0], start_of(runs), runs.shape[0]
    set_bits(kept.run_set, kept.runs, kept.run_count)
    with nogil:
        marks.read(new, kept, name, names.shape[0])
        find_common(new, kept, chain, &sampled)
        common = chain.size()
        keep_chain(chain)
        find_places(new, kept, chain, places)
        for i in range(places.size()):
            new_units += places[i].size
        set_bits(theirs, kept.main, kept.main_count)
        out[MAIN_COMMON] = share(count_bits(theirs, start_of(mine), mine.shape[0]), mine.shape[0])
        out[RUNS_COMMON] = share(common, sampled)
        out[KEPT_COMMON] = min(1.0, share(chain.size(), kept.run_count))
        out[NEW_SHARE] = share(new_units, new.n)
        out[LENGTH], out[RATIO] = log1p(new.n / per), log(share(max(1.0, <double>new.n), n))
        out[MORE_OR_LESS] = log1p(fabs(new.n - n) / per)
        out[IDEOGRAPHS] = share(new.ideographs, new.n)
        out[MOVED] = 1 - share(chain.size(), common)
        while limit and not limit >> 32:
            limit <<= 1
            out[HALVINGS] += 1
        count_words(new, marks, kept, per, changed, &out[0])
        measure_places(new, marks, kept, places, per, &out[0])
        measure_sentences(new, marks, per, &out[0])
    if changed.gone and changed.fresh + changed.gone <= MOST_RESPELT:
        joined = read_units(new.text).joined
        words = joined.split(b"\n")
        alphabet = sorted(filter(str.isalpha, {*ascii_lowercase, *joined.decode("utf-8", "surrogatepass")}))
        letters = [letter.encode("utf-8", "surrogatepass") for letter in alphabet[:MOST_ALPHABET]]
        with nogil:
            count_respelt(new, marks, kept, changed, words, letters, &out[0])
    return found
