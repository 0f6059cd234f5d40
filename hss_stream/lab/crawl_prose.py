"""Natural-looking prose out of hand-written sentence frames, so that a crawl needs no foreign text.

A topic is a list of frames; a frame is an English sentence with typed slots. Filled at random the
sentences differ from page to page, while word order, function words and collocations stay those of
a person writing: a language model should call them natural, and chains built from them fake.
Topics are split into halves, so that thresholds and figures never see the same sentences.
"""

import random
import re
from dataclasses import dataclass
from typing import Literal

from hss_stream.lab.crawl_lexicon import SLOTS

Half = Literal["tune", "report"]


def _frames(text: str) -> tuple[tuple[str, ...], ...]:
    """Return sentences cut at their slots: even entries are words, odd ones slot names."""
    lines = (line.strip() for line in text.strip().splitlines())
    return tuple(tuple(re.split(r"\{(\w+)\}", line)) for line in lines)


TUNE_TOPICS = {
    "garden": _frames("""
        Most {plant} grow best in a sunny place where the soil is well drained.
        In {month} we planted {number} rows of {plant} next to the {plant}.
        The leaves of the {plant} turned yellow after a week of {weather}.
        If the ground is mostly {soil}, add some {soil} before the winter.
        {person} {surname} from {town} has been growing {plant} for more than {number} years.
        It is {often} better to water {plant} in the evening than in the middle of the day.
        The first frost came at the end of {month}, and we lost some of the {plant}.
        You can sow {plant} indoors in {month} and move them outside {number} weeks later.
        A {size} bed of {plant} does not need much work once the plants are established.
        After the harvest the beds were covered with {soil} to keep the weeds down.
        Slugs are a problem in wet years, and they seem to like {plant} more than anything else.
        We keep a record of the date on which the {plant} are ready to be picked."""),
    "kitchen": _frames("""
        Heat the {kitchen} and add the {food} with a little salt and pepper.
        Leave the {food} in the {kitchen} for about {number} minutes until it is golden brown.
        My grandmother {often} served the {food} with {food} and a glass of cold water.
        Cut the {food} into {size} pieces and put them in a {size} {kitchen}.
        This recipe is enough for {number} people, and it can be made the day before.
        If you do not have {food}, you can use {food} instead.
        Stir in the {food} and the {food}, then cover the {kitchen} with a lid.
        The {food} should be fresh, because it makes a difference to the taste.
        {person} wrote to say that the {food} was too sweet, so use less sugar next time.
        Serve it hot with {food}, or keep it in the fridge for up to {number} days.
        In {town} they make the same dish with {food} and {food}.
        Bring the water to the boil and cook the {food} for {number} minutes."""),
    "railway": _frames("""
        The railway between {town} and {town} was opened in {year}.
        The {train} at {town} was built of local stone and is now a listed building.
        Passenger services were withdrawn in {month} {year}, and the track was lifted soon after.
        A {size} {train} stood on the north side of the line until it was demolished in {year}.
        The company bought {number} engines from a firm in {town}, but only {number} of them were delivered.
        In {year} the {train} was moved to {town}, where it can still be seen.
        Volunteers have restored the {train}, and trains run every {weekday} from {month} to {month}.
        The line crossed the river on a {train} with {number} arches.
        According to {person} {surname}, who worked at the {train} for {number} years, the winters were the worst time.
        There was an accident near {town} in {year}, when a train ran past a signal in {weather}.
        Goods traffic continued until {year} because the quarry needed the {train}.
        The history of the {train} is described in a {size} book by {person} {surname}."""),
    "software": _frames("""
        The {computer} is read once at start and kept in memory after that.
        In the next release the {computer} will be written in {language}.
        If the {computer} cannot be opened, the program prints a message and exits.
        The old {computer} was too slow, so we replaced it with a {size} {computer}.
        {person} reported that the {computer} fails when the {computer} is empty.
        You can install the {computer} from source, or use the package for your system.
        Each {computer} has a name, a size and a list of the {number} most recent changes.
        The test suite takes about {number} minutes and covers the {computer} and the {computer}.
        This function returns the number of bytes that were written to the {computer}.
        It is {often} a good idea to make a backup before you change the {computer}.
        The manual has a chapter about the {computer} with examples in {language}.
        Version {small} fixes a bug in the {computer} that was found in {month}."""),
    "football": _frames("""
        {town} {team} beat {town} {team} by {small} goals to one on {weekday} afternoon.
        The only {sport} of the first half came after {number} minutes.
        {surname} scored with a {sport} from the edge of the area.
        The referee gave a {sport} although the ball had gone out of play.
        {person} {surname} has signed for {town} {team} until the end of the season.
        The crowd of {big} saw a good game in spite of the {weather}.
        Our next match is at home on the first {weekday} in {month}.
        After the {sport} the visitors had only ten men and defended for the rest of the game.
        The club was founded in {year} and has played at the same ground ever since.
        The manager said that his side had been the better team in the second half.
        Training for the under-{small} team takes place every {weekday} evening.
        They finished the season in {number}th place with {small} points."""),
    "walking": _frames("""
        From the {path} turn left and follow the {size} {path} down to the river.
        The walk is about {number} miles long and takes most of the day.
        After {number} minutes you come to a {path} with a view over {town}.
        Cross the {path} and go straight on until you reach the {path}.
        In {month} the {path} can be muddy, so wear good boots.
        We had {weather} in the morning, but the afternoon was clear.
        The {path} was closed because of the {weather}, and we had to walk back to the {path}.
        {person} and {person} waited for us at the {path} with the sandwiches.
        There is a bus from {town} to the {path} every {number} hours.
        The {path} climbs steeply at first and then becomes a {size} {path}.
        It is {often} possible to see the sea from the top of the hill.
        The old {path} was used by farmers who took their sheep to market in {town}."""),
}

REPORT_TOPICS = {
    "bicycle": _frames("""
        Check the {bicycle} for wear every {number} months and replace it when necessary.
        Hold the {bicycle} with one hand and loosen the nut with a {size} {tool}.
        The {bicycle} on my old bike lasted for more than {number} years.
        If the {bicycle} makes a noise, clean it and put a drop of oil on the {bicycle}.
        A new {bicycle} is not expensive, and you can fit it at home with a {tool}.
        {person} {surname} runs a workshop in {town} where people learn to repair a {bicycle}.
        Turn the {bicycle} slowly and look at the gap between the {bicycle} and the {bicycle}.
        The {bicycle} has to be tight, but not so tight that the {bicycle} does not move freely.
        Before you ride in the {weather}, make sure that both lights work.
        We rode from {town} to {town} in {month} and had {number} punctures on the way.
        It is {often} the {bicycle} that fails first on a bike of this age.
        Put the {tool} back in the box, because you will need it again for the {bicycle}."""),
    "choir": _frames("""
        The {music} will perform works by {composer} and {composer} on {weekday} evening.
        Tickets for the concert in {town} are available from the box office.
        The second movement begins quietly with the {music} and the {music}.
        {person} {surname} has been the conductor of the {music} since {year}.
        We meet every {weekday} in the church hall, and new members are welcome.
        The programme includes a {size} piece for {music} that {composer} wrote at the age of {number}.
        After the interval the {music} sang a group of folk songs from the north.
        The recording was made in {town} in {month} {year}.
        Nobody in the audience had heard the {music} played so well before.
        The {music} was lent to us by a school near {town} for the whole season.
        It is {often} the slow passages of {composer} that need the most work.
        Our {music} needs more tenors, so please tell your friends about it."""),
    "museum": _frames("""
        The {museum} was given to the museum by {person} {surname} in {year}.
        A {size} {museum} from {town} is shown in the first room.
        The museum is open from {month} to {month}, every day except {weekday}.
        The {museum} and the {museum} were found in the same house.
        Visitors can see the {museum} on the ground floor, next to the entrance.
        Nothing is known about the artist, who may have lived in {town} in the early part of the century.
        The {museum} was cleaned and repaired after the fire of {year}.
        In {month} a new {museum} about the history of {town} will be opened.
        The catalogue describes {number} objects, among them a {size} {museum}.
        Children under {small} do not pay, and there is a guide in large print.
        Experts {often} compare the {museum} with a similar one in {town}.
        The building was a school before the {museum} was moved there in {year}."""),
    "astronomy": _frames("""
        On a clear night the {sky} can be seen without a {sky}.
        {planet} rises about {number} hours after sunset in the middle of {month}.
        The distance between the {sky} and the {sky} is difficult to measure.
        A {size} {sky} is enough to see the rings of {planet}.
        {person} {surname} discovered the {sky} in {year} while working in {town}.
        The light of the {sky} takes many years to reach the earth.
        The society meets on the second {weekday} of the month, if there is no {weather}.
        We saw {number} meteors in one hour before the {weather} came.
        The orbit of {planet} was known long before the {sky} was invented.
        It is {often} necessary to wait until the {sky} is high above the horizon.
        The photograph shows the {sky} near {planet}, taken with a {size} {sky}.
        Dark skies are rare near {town}, so members drive to the coast."""),
    "council": _frames("""
        The council agreed to spend more money on the {council} next year.
        A meeting about the {council} will be held on {weekday} in {town}.
        Residents said that the {council} had been closed for {number} months.
        Councillor {person} {surname} asked when the work on the {council} would begin.
        The {council} in {town} will be repaired between {month} and {month}.
        There were {number} objections to the plan for a new {council}.
        The committee noted that the cost of the {council} had risen since {year}.
        Parking near the {council} is {often} difficult on market days.
        A {size} grant was given to the group that looks after the {council}.
        The minutes of the last meeting were read and approved.
        The chairman thanked the volunteers who had cleared the snow from the {council}.
        Please send your comments on the {council} to the clerk before the end of {month}."""),
    "sailing": _frames("""
        We left the {boat} at {town} early in the morning with a light {boat} from the west.
        The {boat} was damaged in the storm of {month} {year}.
        Keep the {boat} on your left until you can see the {boat}.
        The {boat} needs a new {boat}, and the old one will be sold.
        {person} {surname} sailed round the island in {number} hours.
        At low water there is not enough depth for a {size} {boat}.
        The club has {number} boats, and members can use them every {weekday}.
        In {weather} it is {often} safer to stay in the {boat} until it is over.
        The crew of {number} men was rescued off {town} by the lifeboat.
        Check the {boat} and the {boat} before you leave the harbour.
        The race was won by a {size} boat from {town} with {person} at the helm.
        A chart of the coast and a good {boat} are all that you need."""),
}

TOPICS: dict[Half, dict[str, tuple[tuple[str, ...], ...]]] = {"tune": TUNE_TOPICS, "report": REPORT_TOPICS}


@dataclass(frozen=True, slots=True)
class Prose:
    """A writer on one topic; the same random state writes the same sentences."""

    topic: tuple[tuple[str, ...], ...]

    def sentence(self, chance: random.Random) -> str:
        """Return one sentence with its slots filled."""
        frame = self.topic[int(chance.random() * len(self.topic))]
        return "".join(part if at % 2 == 0 else fill_slot(part, chance) for at, part in enumerate(frame))

    def paragraph(self, chance: random.Random, sentences: int) -> str:
        """Return sentences joined by spaces."""
        return " ".join(self.sentence(chance) for _ in range(sentences))

    def title(self, chance: random.Random) -> str:
        """Return the first five words of a sentence."""
        return " ".join(self.sentence(chance).rstrip(".").split()[:5])


def fill_slot(slot: str, chance: random.Random) -> str:
    """Return a word for a slot: an entry of its list, or a number for `year`, `small` and `big`."""
    if slot == "year":
        return str(1840 + int(chance.random() * 170))
    if slot == "small":
        return str(2 + int(chance.random() * 17))
    if slot == "big":
        return str(300 + int(chance.random() * 9000))
    words = SLOTS[slot]
    return words[int(chance.random() * len(words))]


def prose_of(half: Half, number: int) -> Prose:
    """Return the writer of a half's topic, counted around."""
    topics = tuple(TOPICS[half].values())
    return Prose(topics[number % len(topics)])
