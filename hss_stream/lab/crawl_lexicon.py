"""The words of the generated crawl: small typed lists that sentence frames draw from.

Everything here was written for this project. The lists are typed (a tool, a plant, a town) so that a
frame filled at random still reads like a sentence somebody could have written.
"""


def _words(text: str) -> tuple[str, ...]:
    """Return the entries of a list written with commas."""
    return tuple(entry.strip() for entry in text.replace("\n", " ").split(",") if entry.strip())


PEOPLE = _words("""
Alice, Thomas, Martin, Helen, George, Sarah, David, Anna, Peter, Margaret, John, Emma, Robert, Laura, William,
Julia, Henry, Catherine, Michael, Susan, Daniel, Elizabeth, Frank, Rachel, Edward, Claire, Simon, Ruth, Paul, Jane""")
SURNAMES = _words("""
Baker, Taylor, Walker, Hughes, Turner, Morris, Cooper, Ward, Wood, Hill, Green, Clarke, Foster, Marshall, Palmer,
Webb, Stone, Fisher, Mason, Hunter, Shaw, Reed, Barnes, Dixon, Lane, Price, Fox, Knight, Lowe, Burton""")
TOWNS = _words("""
Bristol, Norwich, Exeter, Lincoln, Durham, Oxford, York, Bath, Chester, Dover, Lancaster, Derby, Plymouth, Carlisle,
Worcester, Gloucester, Ipswich, Preston, Bedford, Winchester, Salisbury, Hereford, Warwick, Stafford, Halifax""")
MONTHS = _words("""
January, February, March, April, May, June, July, August, September, October, November, December""")
DAYS = _words("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday")
NUMBERS = _words("two, three, four, five, six, seven, eight, nine, ten, twelve, fifteen, twenty, thirty")
SIZES = _words("small, large, short, long, narrow, wide, heavy, light, low, high, simple, strong, old, new")
ADVERBS = _words("""
usually, often, sometimes, rarely, always, nearly always, in most years, from time to time, in practice, as a rule""")
PLANTS = _words("""
tomatoes, potatoes, carrots, onions, beans, peas, roses, tulips, apples, pears, plums, strawberries, cabbages,
leeks, spinach, lettuce, garlic, parsley, mint, lavender, cherries, raspberries, pumpkins, radishes, herbs""")
SOIL = _words("clay, sand, compost, mulch, chalk, leaf mould, manure, gravel, peat, straw")
FOODS = _words("""
bread, butter, cheese, rice, chicken, fish, beef, lamb, soup, salad, pasta, eggs, milk, cream, flour, sugar,
honey, mushrooms, lemons, ginger, chocolate, beans, lentils, bacon, olives, almonds, yoghurt, vinegar""")
KITCHEN = _words("oven, pan, bowl, knife, pot, plate, dish, tray, board, spoon, grill, jar")
TRAINS = _words("""
locomotive, carriage, station, platform, signal box, tunnel, viaduct, branch line, goods yard, timetable, bridge,
level crossing, engine shed, ticket office, junction, embankment, siding, waiting room""")
COMPUTERS = _words("""
server, file, database, table, index, function, module, library, thread, queue, buffer, socket, script, package,
compiler, kernel, parser, query, branch, commit, release, error, record, stream, request, response, cache""")
LANGUAGES = _words("Python, Java, Perl, Ruby, Fortran, Lisp, Haskell, Pascal")
SPORTS = _words("""
goal, penalty, corner, free kick, header, cross, shot, save, yellow card, throw-in, substitution, tackle""")
TEAMS = _words("""
United, Rovers, Athletic, Wanderers, City, Albion, County, Rangers, Town, Harriers""")
PATHS = _words("""
path, track, lane, bridge, gate, stile, ridge, valley, stream, farm, wood, meadow, summit, reservoir, village,
car park, church, footbridge, hillside, quarry""")
WEATHER = _words("rain, snow, fog, wind, sunshine, frost, cloud, thunder, mist, hail")
BICYCLE = _words("""
chain, brake, wheel, tyre, saddle, pedal, frame, gear, cable, bearing, spoke, rim, fork, handlebar, hub, axle,
lever, pump, valve, bottom bracket, headset, mudguard, freewheel, crank""")
TOOLS = _words("spanner, screwdriver, hammer, file, brush, wrench, vice, drill, cloth, hacksaw, clamp, gauge")
MUSIC = _words("""
choir, orchestra, piano, organ, violin, cello, flute, trumpet, soprano, tenor, concert, rehearsal, symphony,
overture, song, hymn, sonata, quartet, chorus, conductor, score, melody, audience""")
COMPOSERS = _words("Bach, Mozart, Handel, Haydn, Schubert, Brahms, Elgar, Purcell, Verdi, Mendelssohn")
MUSEUM = _words("""
collection, gallery, painting, portrait, vase, coin, map, letter, statue, photograph, clock, helmet, costume,
drawing, medal, manuscript, model, tapestry, cabinet, exhibition, archive, pottery""")
SKY = _words("""
star, planet, moon, comet, galaxy, nebula, telescope, lens, mirror, eclipse, meteor, cluster, orbit, horizon,
constellation, observatory, asteroid, sky, crater, spectrum""")
PLANETS = _words("Mars, Venus, Jupiter, Saturn, Mercury, Uranus, Neptune")
COUNCIL = _words("""
road, school, library, park, market, bus service, car park, playground, town hall, budget, planning application,
council tax, recycling centre, bridge, footpath, street lighting, swimming pool, cemetery, allotment""")
BOATS = _words("""
boat, sail, mast, rudder, anchor, harbour, tide, rope, deck, hull, keel, crew, mooring, buoy, compass, chart,
lighthouse, breeze, jetty, lifeboat, engine, cabin, spinnaker, boom""")
# What spam sells. Sold goods are ordinary ones: the point is the way the pages are made.
GOODS = _words("""
cheap flights, car insurance, payday loans, hotel deals, mobile phones, used cars, credit cards, weight loss,
discount watches, online casino, replica bags, ringtones, web hosting, mortgage rates, free games, dating,
hair loss, vitamins, laptop batteries, printer ink, garden sheds, wedding dresses, debt advice, car hire""")
SALES = _words(
    "best, cheap, buy, online, free, discount, top, compare, reviews, deals, offer, price, 2024, near me"
)

SLOTS: dict[str, tuple[str, ...]] = {
    "person": PEOPLE, "surname": SURNAMES, "town": TOWNS, "month": MONTHS, "weekday": DAYS, "number": NUMBERS,
    "size": SIZES, "often": ADVERBS, "plant": PLANTS, "soil": SOIL, "food": FOODS, "kitchen": KITCHEN,
    "train": TRAINS, "computer": COMPUTERS, "language": LANGUAGES, "sport": SPORTS, "team": TEAMS, "path": PATHS,
    "weather": WEATHER, "bicycle": BICYCLE, "tool": TOOLS, "music": MUSIC, "composer": COMPOSERS,
    "museum": MUSEUM, "sky": SKY, "planet": PLANETS, "council": COUNCIL, "boat": BOATS, "goods": GOODS,
    "sale": SALES,
}  # fmt: skip

# Parts of domain names; joined with a running number they never meet each other.
NAME_STARTS = _words("""
north, green, blue, silver, oak, river, stone, bright, old, swift, clear, east, red, golden, quiet, high, sunny,
west, iron, maple, little, grand, true, fair, hill, lake, amber, royal, prime, daily""")
NAME_ENDS = _words("""
field, works, house, notes, press, garden, club, shop, media, point, line, bridge, mill, space, home, world, market,
guide, journal, valley, corner, base, port, studio, circle, path, group, hub, wood, gate""")
SUFFIXES = ("com", "org", "net", "info", "co.uk", "de", "fr", "biz", "org.uk", "eu")
