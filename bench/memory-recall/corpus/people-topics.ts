import { listOf } from './list-of.ts';
import type { Topic } from './topic.ts';

/** Lasting facts about a person. */
export const PEOPLE_TOPICS: readonly Topic[] = [
  {
    name: 'home',
    values: listOf(
      'Porto | Leeds | Graz | Turin | Bergen | Lyon | Ghent | Cork | Malmö | Utrecht | Kraków | Bilbao | Bristol | Tartu | Split | Aarhus',
    ),
    says: [
      '{S} lives in {v} since last month',
      '{S} has moved to {v}',
      '{S} found a small flat in {v} and already got the keys',
      '{S} packed everything up, it is {v} from here on',
      'we carried {P} sofa up four floors in {v}, that is where the new place is',
      '{S} bought a house just outside of {v}',
      'the boxes are unpacked, {S} calls {v} home',
      '{S} signed the lease in {v}',
    ],
    changes: [
      '{S} has left again and is in {v} these days',
      'scrap the old address, {S} relocated to {v}',
      'the last place was too loud, so {S} settled in {v}',
      '{S} handed back the old keys, {v} it is',
    ],
    asks: ['Where does {S} live?', 'Which city did {S} move to?', 'In which town is the flat of {S}?'],
    rephrases: [
      'If I wanted to drop by at {P} door, where would I travel?',
      'What goes on a parcel as the place for {S}?',
      'Where would a postcard reach {O}?',
      'Which train station is nearest to where {S} sleeps?',
    ],
    describes: ['the one who settled in {v}', 'my friend from {v}'],
    shares: ['Which of my people have ended up in {v}?'],
    chatter: [
      'moving is such a pain, I would never live in a big city',
      'rents in {v} are mad these days',
      'is {v} worth a weekend?',
      'I dreamt that I lived in {v} in a house with no doors',
      '{S} sent me a photo of a flat, far too small if you ask me',
      'my neighbour keeps boxes in the hallway, it drives me up the wall',
      'they say the trains to {x} are late all the time',
      'what is the quickest way to {v} from here?',
    ],
  },
  {
    name: 'job',
    values: listOf(`
      midwife | roofer | court clerk | pastry chef | tram driver | sound engineer | bookbinder | vet | tax adviser | optician | carpenter | translator |
      beekeeper | set designer | surveyor | paramedic`),
    says: [
      '{S} started as a {v}',
      '{S} got hired as a {v} and begins on Monday',
      '{S} works as a {v}',
      '{S} passed the exam, we have a {v} among us',
      'after years of doubts {S} makes a living as a {v}',
      'they made {O} a {v}, with a contract and all',
      '{S} is a {v} by trade, did you know',
    ],
    changes: [
      '{S} quit and retrained, {v} is on the card now',
      'the old career is over, {S} switched to being a {v}',
      '{S} has had enough and works as a {v} instead',
    ],
    asks: ['What does {S} work as?', 'What is the job of {S}?', 'As what did {S} get hired?'],
    rephrases: [
      'How does {S} pay the bills?',
      'What does {S} do from nine to five?',
      'What would stand on {P} business card?',
      'Which profession feeds {O}?',
    ],
    describes: ['the {v} I know', 'my friend the {v}'],
    shares: ['Who among my people earn their money as a {v}?'],
    chatter: [
      'work was dull today, two meetings about a meeting',
      'can you explain what a {v} earns on average?',
      '{S} complained about the boss again',
      'I could never be a {v}, too many early mornings',
      'a {v} was on the radio and told funny stories',
      'my contract runs out in winter, no panic yet',
      '{S} had a long shift and fell asleep on the phone',
      'who hires people in summer anyway',
    ],
  },
  {
    name: 'pet',
    values: listOf(`
      a greyhound called Pixel | a tortoise called Bruno | two rats, Salt and Pepper | a parrot called Admiral | a tabby called Mango |
      a beagle called Toast | a goat called Helga | a hamster called Sputnik | a corgi called Waffle | a gecko called Ziggy | a rabbit called Dumpling |
      a husky called Borealis | a ferret called Noodle | a pony called Clementine`),
    says: [
      '{S} adopted {v}',
      '{S} has {v} now',
      '{S} came home from the shelter with {v}',
      'guess what is chewing on {P} slippers: {v}',
      '{S} could not say no and took in {v}',
      'there is a new member in {P} family, {v}',
    ],
    asks: ['Which pet has {S} adopted?', 'What is the pet of {S} called?', 'What did {S} take home from the shelter?'],
    rephrases: [
      'Which animal keeps {O} company?',
      'Who has to be fed while {S} is on holiday?',
      'What kind of creature shares the sofa with {O}?',
    ],
    describes: ['the owner of {v}', 'the one with {v}'],
    chatter: [
      'the dog next door barked all night',
      'do rabbits really eat their own blankets?',
      'I saw {v} in a video and laughed for an hour',
      'the vet bills must be awful',
      '{S} keeps sending me cat videos',
      'the shelter has an open day on Sunday, I might go and look',
      'how long does a tortoise live?',
      'a friend of a friend lost a budgie, poor thing',
    ],
  },
  {
    name: 'allergy',
    values: listOf(
      'hazelnuts | shellfish | kiwi | mustard | sesame | celery | strawberries | lupin flour | penicillin | bee stings | latex | cow milk | wheat | soy',
    ),
    says: [
      '{S} is allergic to {v}',
      '{S} got a rash all over from {v}',
      'the doctor was clear that {S} has to keep away from {v}',
      '{S} ended up in hospital because of {v}',
      '{P} throat swells up with {v}, it looked scary',
      'no more {v} when {S} is at the table, the tests were positive',
    ],
    asks: ['What is {S} allergic to?', 'From what did {S} get a rash?', 'What does {S} have to keep away from?'],
    rephrases: [
      'What must I leave out when I cook for {O}?',
      'What could kill {O} at a dinner party?',
      'Which ingredient is dangerous for {O}?',
    ],
    describes: ['the one who cannot have {v}'],
    shares: ['For which of my guests are {v} off the menu?'],
    chatter: [
      'I made a cake with {v} once and it was terrible',
      'is there a rash that comes from stress?',
      'my doctor is away until Tuesday',
      'the pollen count is through the roof',
      'what can I use instead of {v} in a sauce?',
      '{S} is picky with food, always was',
      'that new place puts {v} into everything',
    ],
  },
  {
    name: 'hobby',
    values: listOf(`
      fencing | bouldering | the accordion | pottery | birdwatching | sourdough baking | chess | salsa | beekeeping at the allotment | calligraphy |
      the cello | geocaching | rowing | juggling | stargazing | wood carving | improv theatre | lock picking`),
    says: [
      '{S} took up {v}',
      '{S} is mad about {v} at the moment',
      '{S} goes to a course for {v} every week',
      'all {S} talks about is {v}',
      '{S} gave {v} a try and is hooked',
      'since the spring {S} spends half of the pay on {v}',
    ],
    asks: ['What has {S} taken up?', 'Which course does {S} go to?', 'What is {S} mad about?'],
    rephrases: [
      'How does {S} spend free evenings?',
      'What does {S} do for fun?',
      'With which pastime could I make {O} happy?',
    ],
    gathers: [
      'What are all the things that {S} does for fun?',
      'Which pastimes has {S} tried so far?',
      'What does {S} do in free time, everything you know?',
    ],
    describes: ['the one who is into {v}', 'the friend who is crazy about {v}'],
    shares: ['Which of my people are into {v}?', 'Whom could I ask along for {v}?'],
    chatter: [
      'I should find a hobby that needs no equipment',
      'is {v} hard to learn at my age?',
      'there was a course for {v} but it was full',
      'I tried {v} at school and was useless',
      '{S} and I only talked about the weather this time',
      'do you think that {x} is expensive?',
      'saw a documentary about {v}, quite moving in the end',
      'my evenings are all gone, no idea where to',
    ],
  },
  {
    name: 'dish',
    values: listOf(`
      pumpkin risotto | fish tacos | beetroot soup | lamb tagine | mushroom pie | ramen with extra egg | cheese dumplings | dal with spinach | apple strudel |
      paella | lentil stew | okonomiyaki | moussaka | pierogi`),
    says: [
      '{P} favourite dish is {v}',
      '{S} would walk ten miles for {v}',
      '{S} always orders {v}',
      'nothing beats {v} for {O}',
      'I cooked {v} and {S} had three plates and cried a little',
    ],
    changes: ['{S} is over the old favourite and only wants {v}', 'these days {S} swears by {v}'],
    asks: ['What is the favourite dish of {S}?', 'What does {S} always order?'],
    rephrases: [
      'What should I put on the table to please {O}?',
      'With which meal do I win {O} over?',
      'What makes {P} mouth water?',
    ],
    describes: ['the fan of {v}'],
    shares: ['Who of my guests would be glad about {v}?'],
    chatter: [
      'I burned the rice again',
      'do you have a recipe for {v}?',
      'the canteen had {v} and it was grey',
      'how long does {v} keep in the fridge?',
      '{S} came over and we ordered something in',
      'what goes with {v} as a starter?',
      'the market was packed, I only got onions',
    ],
  },
  {
    name: 'club',
    values: listOf(`
      the Heron Rowers | the Lantern Choir | the Night Owls quiz team | the Copper Kettle book circle | the Old Mill chess club | the Riverside gardeners |
      the Blue Door theatre group | the Tuesday Harriers | the Patchwork sewing bee | the Ridge Walkers`),
    says: [
      '{S} joined {v}',
      '{S} is a member of {v} now',
      '{v} took {O} in after a trial month',
      '{S} was elected treasurer of {v}',
      '{S} spends every week with {v} and loves them',
    ],
    changes: ['{S} fell out with them and went over to {v}', '{S} left the old lot for {v}'],
    asks: ['Which club did {S} join?', 'Which club is {S} a member of?'],
    rephrases: ['With which crowd does {S} hang out?', 'Where would I meet {O} among like-minded people?'],
    describes: ['the one who joined {v}'],
    shares: ['Which people I know belong to {v}?'],
    chatter: [
      'clubs are not for me, all those newsletters',
      '{v} had a stall at the fair',
      'someone from {v} rang the bell for donations',
      'is {x} any good? I only know the poster',
      '{S} was late as always',
      'I got a flyer of {v} in the letter box',
    ],
  },
  {
    name: 'birthday',
    values: listOf(`
      the 3rd of March | the 19th of May | the 27th of October | the 8th of January | New Year’s Eve | the 14th of July | the 30th of August |
      the 11th of November | the 22nd of April | the 5th of December | the 1st of June | the 16th of February`),
    says: [
      '{P} birthday is on {v}',
      '{S} was born on {v}',
      '{S} turns thirty-something on {v}',
      'note that {S} has the big day on {v}',
      'the cake for {O} has to be ready on {v}',
    ],
    asks: ['When is the birthday of {S}?', 'On which day was {S} born?'],
    rephrases: [
      'When do I have to congratulate {O}?',
      'On what date does {S} blow out the candles?',
      'When does {S} get a year older?',
    ],
    describes: ['the one born on {v}'],
    chatter: [
      'birthdays stress me out',
      'what do I give to a person who has everything?',
      'is {v} a holiday somewhere?',
      'we had cake in the office, three kinds',
      '{S} forgot mine again, typical',
      'I have nothing planned for {v} yet',
    ],
  },
  {
    name: 'study',
    values: listOf(`
      Portuguese | marine biology | law at the evening school | sign language | Finnish | nursing | the history of maps | statistics | bookkeeping | Arabic |
      landscape planning | glass blowing | programming in Rust`),
    says: [
      '{S} is learning {v}',
      '{S} enrolled for {v}',
      '{S} sits in the library for {v} every night',
      'the next exam in {v} keeps {O} awake',
      '{S} found a teacher for {v}',
    ],
    asks: ['What is {S} learning?', 'For what did {S} enrol?'],
    rephrases: [
      'Which subject fills {P} notebooks?',
      'In what field does {S} want a certificate?',
      'What is on {P} desk before exams?',
    ],
    gathers: ['Everything that {S} has studied?', 'Which subjects did {S} go into over the time?'],
    describes: ['the one who studies {v}'],
    shares: ['Who could help me with {v}?'],
    chatter: [
      'I was never good at exams',
      'can you give me three words of {v}?',
      'how hard is {v} compared with other things?',
      'the library closes early in summer, annoying',
      '{S} borrowed my notes years ago and never gave them back',
      'is there a free course for {v} online?',
    ],
  },
  {
    name: 'dream',
    values: listOf(`
      open a bakery by the sea | cross the Andes by bike | build a tiny house | write a crime novel | keep alpacas | run a repair café |
      restore a fishing boat | found a puppet theatre | plant an orchard | record an album of lullabies | sail to the Azores | teach in Nepal`),
    says: [
      '{S} wants to {v}',
      'one day {S} is going to {v}, the savings are growing',
      '{P} big plan is to {v}',
      'after two glasses {S} admitted that the dream is to {v}',
      '{S} has drawn up a budget in order to {v}',
    ],
    changes: ['{S} buried the old plan and would rather {v}', 'it turned out that {S} means to {v} instead'],
    asks: ['What is the big plan of {S}?', 'What does {S} want to do one day?'],
    rephrases: [
      'What is {S} saving up for?',
      'What would {S} do after winning the lottery?',
      'Which wish does {S} carry around?',
    ],
    describes: ['the one who hopes to {v}'],
    chatter: [
      'if I had money I would {v}',
      'I met a man who did that: {v}. He looked tired',
      'plans are overrated, I want a nap',
      'people always say that they will {v} and then they do not',
      'does it take a permit to {v}?',
      '{S} has so many ideas, I lose track',
    ],
  },
];
