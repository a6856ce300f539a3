import type { Dice } from './dice.ts';
import { EVENT_TOPICS } from './event-topics.ts';
import type { Fact, Life, Person } from './life.ts';
import { STANDING_WISHES } from './own-topics.ts';
import { PEOPLE_TOPICS } from './people-topics.ts';
import { byName, byPronoun, byRelation, byText, fill, type Mention } from './phrase.ts';
import {
  ANSWERS,
  CHORES,
  ECHOES,
  GREETINGS,
  INVITATIONS,
  MENTIONS,
  NAMINGS,
  OPENERS,
  TAILS,
  TIMES,
  WELCOMES,
} from './phrases.ts';
import { inRegister, type Register } from './register.ts';

/** What a turn means to the corpus; most turns mean nothing. */
export type Meaning =
  | { readonly kind: 'fact'; readonly fact: Fact }
  | { readonly kind: 'echo'; readonly fact: Fact }
  | { readonly kind: 'introduction'; readonly person: Person }
  | { readonly kind: 'wish'; readonly wish: (typeof STANDING_WISHES)[number] };

export interface SpokenTurn {
  readonly by: 'persona' | 'agent';
  readonly text: string;
  readonly meaning?: Meaning;
}

export interface Talk {
  readonly dice: Dice;
  readonly persona: string;
  readonly life: Life;
  readonly wishes: readonly (typeof STANDING_WISHES)[number][];
}

const REGISTERS: readonly Register[] = ['plain', 'plain', 'careless', 'careless', 'short'];
const LEAST_TURNS = 18;
const TURNS_RANGE = 10;
/** Of a hundred mentions of a person, so many say "my sister"; of a hundred facts, so many say "she". */
const RELATION_PERCENT = 10;
const PRONOUN_PERCENT = 25;
const TOPICS = [...PEOPLE_TOPICS, ...EVENT_TOPICS];

/** One turn of the persona: some of an opener, the words, an end, and an unrelated sentence. */
function persona({ dice }: Talk, words: string, meaning?: Meaning): SpokenTurn {
  const opener = dice.chance(45) ? `${dice.pick(OPENERS)} ` : '';
  const tail = dice.chance(30) ? `, ${dice.pick(TAILS)}` : '';
  const beside = dice.chance(meaning === undefined ? 25 : 40) ? [chatterOf(dice)] : [];
  const parts = dice.chance(50) ? [`${opener}${words}${tail}`, ...beside] : [...beside, `${opener}${words}${tail}`];
  const text = inRegister(parts, dice.pick(REGISTERS), dice);
  return { by: 'persona', text, ...(meaning && { meaning }) };
}

/** A line of small talk that asks for no person. */
function chatterOf(dice: Dice): string {
  const topic = dice.pick(TOPICS);
  const lines = topic.chatter.filter((line) => !/\{[SPO]\}/.test(line));
  return fill(dice.pick(lines), byText(''), { v: dice.pick(topic.values), x: dice.pick(topic.values) });
}

const agent = (text: string, meaning?: Meaning): SpokenTurn => ({ by: 'agent', text, ...(meaning && { meaning }) });

function mentionOf({ dice }: Talk, person: Person): Mention {
  return dice.chance(RELATION_PERCENT) ? byRelation(person) : byName(person);
}

/** The turns in which the persona states a fact, sometimes after naming the person in a turn of its own. */
function tell(talk: Talk, fact: Fact): readonly SpokenTurn[] {
  const { dice } = talk;
  const templates = fact.replaces === undefined ? fact.topic.says : (fact.topic.changes ?? fact.topic.says);
  const slots = { v: fact.value, t: dice.pick(TIMES) };
  const { person } = fact;
  const echo = (): readonly SpokenTurn[] =>
    dice.chance(75)
      ? [
          agent(fill(dice.pick(ECHOES), byText(''), { v: fact.value, N: person?.name ?? 'that' }), {
            kind: 'echo',
            fact,
          }),
        ]
      : [];
  const meaning = { kind: 'fact', fact } as const;
  const words = (mention: Mention): string => fill(dice.pick(templates), mention, slots);
  if (person === null) return [persona(talk, words(byText('I')), meaning), ...echo()];
  if (!dice.chance(PRONOUN_PERCENT)) return [persona(talk, words(mentionOf(talk, person)), meaning), ...echo()];
  const naming = persona(talk, fill(dice.pick(NAMINGS), mentionOf(talk, person)));
  const invitation = agent(fill(dice.pick(INVITATIONS), byText(''), { N: person.name }));
  return [
    naming,
    ...(dice.chance(70) ? [invitation] : []),
    persona(talk, words(byPronoun(person)), meaning),
    ...echo(),
  ];
}

function introduce(talk: Talk, person: Person): readonly SpokenTurn[] {
  const { name, relation } = person;
  const lines = [
    `my ${relation} is called ${name}`,
    `${name} is my ${relation}`,
    `when I say ${name} I mean my ${relation}`,
    `have I mentioned ${name}, my ${relation}?`,
  ];
  return [
    persona(talk, talk.dice.pick(lines), { kind: 'introduction', person }),
    agent(talk.dice.pick([`${name}, got it.`, `Nice, I will remember who ${name} is.`, 'Thank you, that helps.'])),
  ];
}

/** Two turns that say nothing to keep. */
function smallTalk(talk: Talk): readonly SpokenTurn[] {
  const { dice, life } = talk;
  const person = dice.pick(life.people);
  const kind = dice.below(10);
  if (kind < 3) {
    const [question, reply] = dice.pick(CHORES);
    return [persona(talk, question), agent(reply)];
  }
  const answers = ANSWERS.filter((line) => kind < 5 || !line.includes('{N}'));
  const answer = agent(fill(dice.pick(answers), byText(''), { N: person.name }));
  if (kind < 5) return [persona(talk, fill(dice.pick(MENTIONS), mentionOf(talk, person))), answer];
  return [persona(talk, kind < 7 ? chatterAbout(talk, person) : chatterOf(dice)), answer];
}

/** Small talk in the words of a topic, about values that the persona's own facts have. */
function chatterAbout({ dice, life }: Talk, person: Person): string {
  const { topic, value } = dice.pick(life.facts.filter(({ kind }) => kind === 'person'));
  const slots = { v: dice.chance(50) ? value : dice.pick(topic.values), x: dice.pick(topic.values) };
  return fill(dice.pick(topic.chatter), byName(person), slots);
}

/** All turns of one session, the facts among small talk. */
export function talkThrough(talk: Talk, session: number): readonly SpokenTurn[] {
  const { dice, life } = talk;
  const beats = [
    ...life.people.filter(({ introduced }) => introduced === session).map((person) => introduce(talk, person)),
    ...life.facts.filter((fact) => fact.session === session).map((fact) => tell(talk, fact)),
    ...talk.wishes
      .filter((_, at) => at * 2 + 1 === session)
      .map((wish) => [
        persona(talk, `please remember: ${wish.says}`, { kind: 'wish', wish }),
        agent('I will stick to that.'),
      ]),
  ];
  const length = LEAST_TURNS + dice.below(TURNS_RANGE);
  while (beats.flat().length < length) beats.push(smallTalk(talk));
  const welcome = agent(fill(dice.pick(WELCOMES), byText(''), { M: talk.persona }));
  return [persona(talk, dice.pick(GREETINGS)), welcome, ...dice.shuffle(beats).flat()];
}
