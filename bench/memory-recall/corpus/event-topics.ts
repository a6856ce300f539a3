import { listOf } from './list-of.ts';
import type { Topic } from './topic.ts';

/** Events between the speaker and a person, or of a person, on one day. */
export const EVENT_TOPICS: readonly Topic[] = [
  {
    name: 'gift',
    values: listOf(`
      telescope | cast-iron pan | chess clock | fountain pen | hammock | record player | pocket knife | globe | kite | typewriter | wool blanket |
      bread knife | compass | teapot | jigsaw of the moon | bird feeder | camping stove | harmonica | lava lamp | magnifying glass`),
    says: [
      '{S} gave me a {v}',
      'I got a {v} from {O}',
      '{S} turned up with a {v} wrapped in newspaper, for me of all people',
      'there was a parcel from {O}, a {v} inside',
      'the {v} on my table comes from {O}',
      '{S} surprised me with a {v}',
    ],
    asks: ['Who gave me the {v}?', 'From whom did I get the {v}?'],
    rephrases: ['Whom do I have to thank for the {v}?', 'Whose generosity brought the {v} into my home?'],
    gathers: ['What have I been given by {O} so far?', 'Which presents came from {O}?'],
    describes: ['the person who gave me the {v}', 'the giver of my {v}', 'the one I have the {v} from'],
    chatter: [
      'the {v} is in the way again',
      'I cleaned the {v}, it took ages',
      'where does one repair a {v}?',
      'is an old {v} worth anything?',
      'I nearly dropped the {v} on my foot',
      'what do you give to a colleague who leaves?',
      'the parcel service lost something again',
    ],
  },
  {
    name: 'book',
    values: listOf(`
      The Salt Orchard | A Winter of Moths | Nine Quiet Bridges | The Cartographer’s Niece | Low Tide Letters | The Clockmaker of Ghent | Under a Paper Sky |
      The Last Ferryman | Rooms without Rain | The Glass Harvest | Small Gods of the Marsh | Eleven Kinds of Dusk`),
    says: [
      '{S} lent me {v}',
      'I am reading {v}, {S} pressed it into my hands',
      '{v} is on my night table, on loan from {O}',
      '{S} swears that {v} changes lives, so I took the copy home',
    ],
    asks: ['Who lent me {v}?', 'From whom is my copy of {v}?'],
    rephrases: ['To whom does {v} have to go back?', 'Whose shelf is missing {v}?'],
    gathers: ['Which novels did I borrow from {O}?', 'What reading matter came from {O}?'],
    describes: ['the owner of {v}', 'the friend whose copy of {v} I have'],
    chatter: [
      'I fell asleep over {v} again',
      'no spoilers for {v} please',
      'the library wants money from me, three weeks late',
      'is {v} part of a series?',
      'chapter six of {v} is where most people give up',
      'reading glasses at my age, can you believe it',
    ],
  },
  {
    name: 'trip',
    values: listOf(`
      Iceland | Georgia | Morocco | Vietnam | Patagonia | the Faroe Islands | Slovenia | Japan | Sardinia | Namibia | Scotland | Crete | Quebec |
      the Dolomites`),
    says: [
      '{S} flew to {v} {t}',
      '{S} came back from {v} {t}, brown as a nut',
      '{t} {S} left for {v} with one small bag',
      '{S} was in {v}, back home {t}',
    ],
    asks: ['Which country did {S} fly to?', 'From where did {S} come back?'],
    rephrases: ['Which stamp is new in {P} passport?', 'Where did {S} spend the holiday?'],
    gathers: ['Which parts of the world has {S} seen?', 'Where has {S} travelled?'],
    whens: ['When did {S} go to {v}?', 'On what date was {P} journey to {v}?', 'How long ago was {S} in {v}?'],
    describes: ['the one who travelled to {v}'],
    shares: ['Whom can I ask for tips about {v}?'],
    chatter: [
      'flights to {v} cost a fortune',
      'what is the weather like in {v} at this time of year?',
      'I cannot even plan a day at the lake',
      '{v} was on the news, floods or so',
      'do I need a visa for {v}?',
      'someone at work never stops about {v}',
      '{S} has the travel bug, I prefer my balcony',
    ],
  },
  {
    name: 'injury',
    values: listOf('a wrist | an ankle | two ribs | a collarbone | a tooth | a little toe | a thumb | the left knee'),
    says: [
      '{S} broke {v} {t}',
      '{t} {S} slipped on the stairs, {v} is broken',
      '{S} hurt {v} {t} and sat in the emergency room till midnight',
      'bad luck for {O} {t}: {v}, in plaster',
    ],
    asks: ['What did {S} break?', 'What did {S} hurt?'],
    rephrases: ['Why did {S} need plaster?', 'What landed {O} in the emergency room?'],
    gathers: ['Which accidents has {S} had?', 'What has {S} injured over the time?'],
    whens: ['When did {S} hurt {v}?', 'On which day was {P} accident with {v}?'],
    describes: ['the one who broke {v}'],
    chatter: [
      'my back hurts from that chair',
      'I slipped on the ice but nothing happened',
      'is it normal that a knee cracks?',
      'the stairs at the station are a death trap',
      '{S} never sees a doctor, stubborn as a mule',
      'how long does plaster stay on?',
    ],
  },
  {
    name: 'purchase',
    values: listOf(`
      a yellow van | an electric piano | a second-hand kayak | a sewing machine | a cargo bike | a drone | an espresso machine | a leather armchair |
      a motorbike with a sidecar | a greenhouse | a loom | an old tractor`),
    says: [
      '{S} bought {v} {t}',
      '{t} {S} came round the corner with {v}, brand new to {O}',
      '{S} spent all of the bonus on {v} {t}',
      '{S} found {v} online and fetched it {t}',
    ],
    asks: ['What did {S} buy?', 'On what did {S} spend the bonus?'],
    rephrases: ['What fills up {P} garage?', 'Where has {P} money gone?'],
    gathers: ['On what has {S} spent money?', 'Which things has {S} acquired?'],
    whens: ['When did {S} buy {v}?', 'On what date did {S} get {v}?'],
    describes: ['the buyer of {v}', 'the one with {v} in front of the house'],
    chatter: [
      'I need a new kettle, any advice?',
      'how much is {v} these days?',
      'online shops send me ads for {v} all day',
      'I nearly bought {v}, then I saw the price',
      'the bank app is down again',
      '{S} can never pass a flea market',
    ],
  },
  {
    name: 'meeting',
    values: listOf(`
      a wedding in the rain | a pottery fair | a night train | the blood donation | a protest for bike lanes | a hostel kitchen | a first-aid course |
      the allotment | a queue for concert tickets | a broken lift`),
    says: [
      'I met {O} at {v}',
      '{S} and I go back to {v}, that is how we got to know each other',
      'funny story, {v} is what brought {O} and me together',
      'without {v} I would never have got to know {O}',
    ],
    asks: ['Where did I meet {O}?', 'How did {S} and I get to know each other?'],
    rephrases: ['How did my friendship with {O} begin?', 'What is the origin of my bond with {O}?'],
    describes: ['the person I met at {v}', 'my acquaintance from {v}'],
    chatter: [
      'it is hard to meet people after forty',
      'I stood in a queue for an hour for a stamp',
      'the lift is stuck, third time this month',
      'weddings are long and the shoes hurt',
      'they cancelled {v}, too few people came',
    ],
  },
];
