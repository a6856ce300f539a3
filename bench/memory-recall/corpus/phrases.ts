import { listOf } from './list-of.ts';

/** Beginnings and ends of what people say, and what an agent answers. */
export const OPENERS = listOf(`
  oh by the way, | guess what, | so, | anyway, | before I forget, | big news: | you will not believe it, | just so you know, | right, | okay so |
  funny thing, | not sure if I mentioned it, but | speaking of which, | well, | quick one: | I had to laugh, | it is official, | long story short, |
  remember what I said last time? | update from my side: | hmm, | listen, | to change the subject, | and another thing, | while you look that up, |
  as of this week | you asked the other day,`);
export const TAILS = listOf(`
  can you believe it | finally | which is great I guess | and I am a bit jealous | so much for that | more on that another time | I had no idea |
  it took long enough | that came out of nowhere | I am still getting used to it | which explains a lot | the whole family is talking about it |
  and the weather was lovely too | good for them | I give it a year | what a month | we laughed a lot | do not ask me why | and it was about time |
  so now you are in the picture | we had coffee after that | my head is spinning | I only found out today`);
/** Talk about a person that says nothing to keep. */
export const MENTIONS = listOf(`
  I had lunch with {O}, nothing new | {S} called and we talked for ages about nothing | {S} says hi | I still have to answer {P} message |
  {S} was in a bad mood, I do not know why | I saw {O} at the market from far away | do you think that {S} is cross with me? | I promised {O} a postcard |
  {S} sent a voice message of eleven minutes | we might go for a walk on Sunday, {S} and I | {S} looked tired | I should invite {O} more often |
  what would you write to {O} as a thank-you? | {S} laughed about it for days | I owe {O} a beer | {S} never picks up the phone |
  is it rude to ask {O} about it? | I dreamt of {O}, weird | {S} cancelled again | everyone likes {O}, no wonder`);
/** Turns before a fact that name the person. */
export const NAMINGS = listOf(`
  I talked to {O} today | {S} rang me up last night | I got a long message from {O} | met {O} on the stairs | do you remember {O}? | news from {O} |
  I just put the phone down, it was {O} | breakfast with {O} this morning | {S} is a story of its own | about {O}`);
export const INVITATIONS = listOf(`
  And how is it going there? | What is new? | Do tell. | Oh? Is everything all right? | I am listening. | What happened? | Good news, I hope? |
  Ah, {N}! What is the news? | How is {N} doing? | {N} again? Tell me more.`);
/** Answers to a fact; they repeat its words and add nothing. */
export const ECHOES = listOf(`
  {v}, how nice! And how is {N} with it? | Good to know. {v}, I will keep it in mind. | {v}? That sounds like {N}. | That is a big step for {N}. |
  Lovely. Does {N} like {v}? | Oh, {v}! Please say hello to {N}. | Thank you, noted. | That must have been a surprise. |
  I see. {N} and {v}, who would have thought. | How did that come about? | And what do you make of it? | Sounds good to me. |
  I hope that it works out for {N}. | {v} it is, then. | Understood. | Ha, I did not expect {v}. | Give {N} my best wishes. | What will you do about it? |
  {N} is full of surprises. | Is there anything that I can do?`);
/** Answers to small talk. */
export const ANSWERS = listOf(`
  It depends on what you need. Shall I look it up? | I would start small and see how it feels. | That sounds annoying. Do you want to talk about it? |
  Most people would say the same. | I can make a list with pros and cons. | Ha, fair enough. | Prices differ a lot, so compare two or three offers. |
  There are good guides for beginners in every library. | Maybe tomorrow looks better. | I do not know, but I can find out. |
  A short walk helps me think, or it would if I had legs. | In short: yes, with some care. | In short: no, and you would not enjoy it. |
  Shall I remind you next week? | I would ask {N} about that. | Write it down and sleep on it. | That is more common than you would think. |
  You could try it once and decide after that. | Was {N} there too? | Poor you. Tea?`);
export const CHORES = [
  [
    'can you write a mail to my landlord about the heating?',
    'Here is a draft: Dear Sir or Madam, the heating in my flat has failed for three days. Please send a fitter this week and confirm the time. Kind regards.',
  ],
  ['what is 17 percent of 2,340?', 'It is 397.80.'],
  [
    'turn this into bullet points: buy paint, call the plumber, take the bike to the shop',
    'Paint: buy it. Plumber: call. Bike: take it to the shop. I put the plumber first, because he is hard to reach.',
  ],
  [
    'how do I get red wine out of a white shirt?',
    'Blot it, then salt and cold water, then wash at sixty degrees. Do not rub, and do not use hot water first.',
  ],
  [
    'my script fails with ENOENT, what is that?',
    'The program looks for a file or a folder that is missing. Print the path that it opens, and compare it with the folder in which you start it.',
  ],
  ['translate please: the delivery is late because of the strike', 'Die Lieferung verspätet sich wegen des Streiks.'],
  [
    'plan three dinners for me, cheap ones',
    'Monday: lentil soup with bread. Wednesday: pasta with peas and lemon. Friday: potato pan with eggs. You need about twenty minutes for each.',
  ],
  ['remind me to water the plants', 'I will remind you on Saturday at ten.'],
  [
    'can you summarise the article about tides?',
    'The moon pulls the water towards it, the earth turns below, and so most coasts have two high tides a day. Narrow bays make them larger.',
  ],
  ['give me a name for a boat', 'Patience, Second Wind, or Dry Socks.'],
  ['is it going to rain tomorrow?', 'Rain until noon, then clouds with some sun. Take a jacket.'],
  ['how many grams are in a cup of flour?', 'About 125 grams, if you spoon it in and do not press.'],
] as const;
export const GREETINGS = listOf(
  'hi | hello again | good morning | hey, me again | evening | hi, quick question later, first some news | hello you | back again',
);
export const WELCOMES = listOf(
  'Hello {M}! What can I do for you? | Good to see you, {M}. | Hi {M}, how was your week? | Welcome back. | Hello! Tell me.',
);

/** How people shorten words in messages. */
export const SHORT_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\byou\b/g, 'u'],
  [/\byour\b/g, 'ur'],
  [/\bbecause\b/g, 'cuz'],
  [/\bgoing to\b/g, 'gonna'],
  [/\bplease\b/g, 'pls'],
  [/\bgreat\b/g, 'gr8'],
  [/\bbefore\b/g, 'b4'],
  [/\bpeople\b/g, 'ppl'],
  [/\band\b/g, '&'],
  [/\bwith\b/g, 'w'],
  [/\bwant to\b/g, 'wanna'],
  [/\btoday\b/g, '2day'],
  [/\btomorrow\b/g, 'tmrw'],
  [/\breally\b/g, 'rly'],
  [/\bsomething\b/g, 'smth'],
  [/\bdo not know\b/g, 'dunno'],
  [/\bis not\b/g, 'isnt'],
  [/\bdo not\b/g, 'dont'],
];
export const TIMES = listOf(
  'yesterday | last weekend | on Saturday | two days ago | this morning | last night | on Monday | a week ago | the day before yesterday | last Thursday',
);

export const NAMES = {
  she: listOf(
    'Lena | Ines | Hanna | Chloe | Fatima | Noor | Greta | Aiko | Paula | Wanda | Sofia | Maeve | Ruth | Leila | Beatriz | Nadia | Frida | Zoe',
  ),
  he: listOf(
    'Marek | Tobias | Yusuf | Ravi | Oskar | Piet | Callum | Bruno | Stefan | Dmitri | Elias | Jonas | Kofi | Anders | Tomasz | Hugo | Samir | Gustav',
  ),
} as const;
export const RELATIONS = {
  she: listOf(
    'sister | aunt | old flatmate | boss | neighbour upstairs | best friend from school | cousin | godmother | physio | landlady',
  ),
  he: listOf(
    'sister | aunt | old flatmate | boss | neighbour upstairs | best friend from school | cousin | godmother | physio | landlady',
  ),
} as const;
export const PERSONAS = listOf('Mira | Theo | Agnes | Luca | Edda | Finn | Carmen | Milan | Judith | Arne');
export const WEEKDAYS = listOf('Mondays | Tuesdays | Wednesdays | Thursdays | Fridays | Sundays');
export const VENUES = listOf(
  'the boathouse | the back room of the Anchor | the parish hall | the old library | the school gym | the tea house | the fire station',
);
