"""What English words have to do with each other: irregular forms, words for the same, values that exclude each other.

Word lists of general English, written for this package. Other languages are compared without them.
"""

__all__ = ["EXCLUSIVE", "IRREGULAR", "SAME"]

IRREGULAR = (
    "become became, begin began begun, bear born borne, break broke broken, bring brought, build built, buy bought, "
    "catch caught, choose chose chosen, come came, die dying, draw drew drawn, drive drove driven, eat ate eaten, "
    "fall fell fallen, feel felt, fight fought, find found, fly flew flown, forget forgot forgotten, give gave given, "
    "go went gone, grow grew grown, hear heard, hide hid hidden, hold held, keep kept, know knew known, lead led, "
    "leave left, lie lay lain, lose lost, mean meant, meet met, pay paid, ride rode ridden, rise rose risen, run ran, "
    "see saw seen, sell sold, send sent, shoot shot, show shown, sing sang sung, sit sat, sleep slept, speak spoke "
    "spoken, spend spent, stand stood, steal stole stolen, swim swam swum, take took taken, teach taught, tell told, "
    "think thought, throw threw thrown, understand understood, wear wore worn, win won, write wrote written, child "
    "children, man men, woman women, foot feet, tooth teeth, mouse mice, wife wives, life lives, leaf leaves, wolf "
    "wolves, knife knives, person people"
)
"""The base form first, then its irregular forms."""

SAME = (
    "film movie picture, book novel, song single track, album record, series show program programme sitcom, born "
    "birth birthplace, die death dead deceased killed, write author penned, star appear cast play feature portray "
    "role, marry wife husband spouse marriage, founded establish create form founder cofound begin launch, release "
    "premiere debut publish issue, win receive award earn, big large huge great, buy acquire purchase, sell sale, "
    "actor actress, singer vocalist, musician band, writer author novelist, playwright dramatist screenwriter, city "
    "town, company firm corporation business, job work career profession occupation, help aid assist, popular famous "
    "well-known, situate locate base, call name know title, use utilize employ, produce make create, start begin, "
    "finish end conclude, near close, show demonstrate, need require, allow permit enable, get obtain receive, place "
    "location area region, increase grow rise, decrease fall drop decline reduce, about approximately around, "
    "important significant major main principal chief key, common typical usual, various several many multiple "
    "numerous different, type kind sort form, part component portion section, usually commonly generally often "
    "typically, attempt try, consist comprise contain include compose, similar like alike, want wish intend desire, "
    "believe consider think, live reside inhabit, origin originate come, country nation, drug medicine medication, "
    "disease illness sickness, car automobile vehicle, school academy college university, defeat beat win, war "
    "conflict, doctor physician, america american american usa, england english, britain british uk, france french, "
    "germany german, spain spanish, italy italian, china chinese, japan japanese, india indian, russia russian, "
    "canada canadian, australia australian, mexico mexican, ireland irish, scotland scottish, wales welsh, sweden "
    "swedish, norway norwegian, denmark danish, finland finnish, poland polish, greece greek, turkey turkish, israel "
    "israeli, iran iranian, iraq iraqi, egypt egyptian, africa african, europe european, asia asian, korea korean, "
    "brazil brazilian, austria austrian, switzerland swiss, portugal portuguese, hungary hungarian, netherlands dutch "
    "holland, argentina argentine argentinian, cuba cuban, jamaica jamaican, nigeria nigerian, pakistan pakistani, "
    "philippines filipino, monday mon, tuesday tue tues, wednesday wed, thursday thu thurs, friday fri, saturday sat, "
    "sunday sun, weekday mon fri, weekend sat sun, ukraine ukrainian, romania romanian, thailand thai, vietnam "
    "vietnamese, indonesia indonesian"
)
"""Words that may stand for each other, nations with their people among them."""

EXCLUSIVE = (
    (
        "american british english french german italian spanish canadian australian indian chinese japanese russian "
        "mexican brazilian irish scottish welsh dutch swedish norwegian danish finnish polish greek turkish israeli "
        "iranian iraqi egyptian korean austrian swiss belgian portuguese hungarian czech romanian ukrainian argentine "
        "argentinian chilean colombian peruvian cuban jamaican nigerian kenyan ethiopian pakistani thai vietnamese "
        "indonesian filipino malaysian icelandic croatian serbian bulgarian"
    ),
    (
        "america britain england france germany italy spain canada australia india china japan russia mexico brazil "
        "ireland scotland wales netherlands sweden norway denmark finland poland greece turkey israel iran iraq egypt "
        "africa europe asia korea austria switzerland belgium portugal hungary romania ukraine argentina chile "
        "colombia peru cuba jamaica nigeria kenya ethiopia pakistan bangladesh thailand vietnam indonesia philippines "
        "malaysia singapore iceland croatia serbia bulgaria"
    ),
    "january february march april may june july august september october november december",
    "monday tuesday wednesday thursday friday saturday sunday",
    (
        "actor actress singer writer author director producer musician politician lawyer painter dancer athlete "
        "footballer comedian model scientist physicist chemist biologist engineer architect philosopher poet novelist "
        "journalist teacher professor doctor businessman entrepreneur chef drummer guitarist pianist rapper composer "
        "screenwriter playwright wrestler boxer player coach president minister king queen emperor pope general "
        "soldier pilot astronaut nurse farmer merchant artist sculptor photographer designer host"
    ),
    (
        "film movie book novel song album series show game magazine newspaper play musical opera painting poem "
        "documentary sitcom comic website"
    ),
    (
        "comedy drama horror thriller romance romantic western action adventure fantasy documentary animated silent "
        "rock pop jazz metal punk folk country blues classical electronic rap reggae soul science crime war"
    ),
    ("father mother brother sister son daughter wife husband uncle aunt nephew niece cousin grandfather grandmother"),
    "male female",
    "north south east west northern southern eastern western",
    "red blue green yellow black white orange purple brown pink grey",
    "football soccer baseball basketball tennis golf hockey cricket rugby boxing wrestling swimming volleyball",
    (
        "city town village country state county province island continent river lake mountain ocean planet region "
        "district"
    ),
    "solid liquid gas",
    "spring summer autumn winter",
    "morning afternoon evening night",
)
"""Groups of values of which one usually holds: another of the group is another value."""
