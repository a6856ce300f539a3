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

/** The meaning of a turn to the corpus; most turns have none. */
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
/** Percentage of mentions of a person as "my sister". */
const RELATION_PERCENT = 10;
/** Percentages of facts for which the agent asks, and of facts before which the persona names the person. */
const ASKED_PERCENT = 30;
const NAMED_PERCENT = 20;
/** Percentages of threads that stay on their topic for two more turns, and of sentences beside the words that do. */
const STAYING_PERCENT = 55;
const SAME_TOPIC_PERCENT = 75;
const TOPICS = [...PEOPLE_TOPICS, ...EVENT_TOPICS];

/** One turn of the persona: some of an opener, the words, an end, and a sentence beside them, usually on the same topic. */
function persona({ dice }: Talk, words: string, about: About = {}): SpokenTurn {
  const { topic, meaning } = about;
  const opener = dice.chance(45) ? `${dice.pick(OPENERS)} ` : '';
  const tail = dice.chance(30) ? `, ${dice.pick(TAILS)}` : '';
  const isBeside = dice.chance(meaning === undefined ? 20 : 40);
  const beside = isBeside
    ? [chatterOn(dice, topic !== undefined && dice.chance(SAME_TOPIC_PERCENT) ? topic : dice.pick(TOPICS))]
    : [];
  const parts = dice.chance(50) ? [`${opener}${words}${tail}`, ...beside] : [...beside, `${opener}${words}${tail}`];
  const text = inRegister(parts, dice.pick(REGISTERS), dice);
  return { by: 'persona', text, ...(meaning && { meaning }) };
}

interface About {
  readonly topic?: Fact['topic'];
  readonly meaning?: Meaning;
}

/** A line of small talk on a topic that names no person. */
function chatterOn(dice: Dice, topic: Fact['topic'], value = valueOf(dice, topic)): string {
  const lines = topic.chatter.filter((line) => !/\{[SPO]\}/.test(line));
  return lines.length === 0
    ? dice.pick(TAILS)
    : fill(dice.pick(lines), byText(''), { v: value, x: valueOf(dice, topic) });
}

const valueOf = (dice: Dice, { values }: Fact['topic']): string => (values.length === 0 ? '' : dice.pick(values));

const agent = (text: string, meaning?: Meaning): SpokenTurn => ({ by: 'agent', text, ...(meaning && { meaning }) });

function mentionOf({ dice }: Talk, person: Person): Mention {
  return dice.chance(RELATION_PERCENT) ? byRelation(person) : byName(person);
}

/** The turns before a fact: the agent asks for it, or the persona names the person; after them a pronoun is enough. */
function leadTo(talk: Talk, { topic, person }: Fact): readonly SpokenTurn[] {
  const { dice } = talk;
  if (person === null) return [];
  const drawn = dice.below(100);
  const templates = [...topic.asks, ...topic.rephrases].filter((text) => !text.includes('{v}'));
  if (drawn < ASKED_PERCENT && templates.length > 0)
    return [agent(fill(dice.pick(templates), mentionOf(talk, person)))];
  if (drawn >= ASKED_PERCENT + NAMED_PERCENT) return [];
  const naming = persona(talk, fill(dice.pick(NAMINGS), mentionOf(talk, person)), { topic });
  return dice.chance(70) ? [naming, agent(fill(dice.pick(INVITATIONS), byText(''), { N: person.name }))] : [naming];
}

/** The turns after a fact: the agent answers with its words, and the persona sometimes stays on the topic. */
function followUp(talk: Talk, fact: Fact): readonly SpokenTurn[] {
  const { dice } = talk;
  const slots = { v: fact.value, N: fact.person?.name ?? 'that' };
  const echo = dice.chance(75) ? [agent(fill(dice.pick(ECHOES), byText(''), slots), { kind: 'echo', fact })] : [];
  if (!dice.chance(STAYING_PERCENT)) return echo;
  const more =
    fact.person !== null && dice.chance(40)
      ? fill(dice.pick(MENTIONS), byPronoun(fact.person))
      : chatterOn(dice, fact.topic);
  return [...echo, persona(talk, more, { topic: fact.topic }), agent(answerTo(talk, fact.person))];
}

function answerTo({ dice }: Talk, person: Person | null): string {
  const lines = ANSWERS.filter((line) => person !== null || !line.includes('{N}'));
  return fill(dice.pick(lines), byText(''), { N: person?.name ?? '' });
}

/** The thread in which the persona states a fact. */
function thread(talk: Talk, fact: Fact): readonly SpokenTurn[] {
  const { dice } = talk;
  const templates = fact.replaces === undefined ? fact.topic.says : (fact.topic.changes ?? fact.topic.says);
  const { person, topic } = fact;
  const lead = leadTo(talk, fact);
  const named = (): Mention => (person === null ? byText('I') : mentionOf(talk, person));
  const mention = person !== null && lead.length > 0 ? byPronoun(person) : named();
  const words = fill(dice.pick(templates), mention, { v: fact.value, t: dice.pick(TIMES) });
  return [...lead, persona(talk, words, { topic, meaning: { kind: 'fact', fact } }), ...followUp(talk, fact)];
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
    persona(talk, talk.dice.pick(lines), { meaning: { kind: 'introduction', person } }),
    agent(talk.dice.pick([`${name}, got it.`, `Nice, I will remember who ${name} is.`, 'Thank you, that helps.'])),
  ];
}

/** A few turns that say nothing to keep. */
function smallTalk(talk: Talk): readonly SpokenTurn[] {
  const { dice, life } = talk;
  const kind = dice.below(10);
  if (kind < 3) {
    const [question, reply] = dice.pick(CHORES);
    return [persona(talk, question), agent(reply)];
  }
  const person = dice.pick(life.people);
  if (kind < 5)
    return [persona(talk, fill(dice.pick(MENTIONS), mentionOf(talk, person))), agent(answerTo(talk, person))];
  const topic = dice.pick(TOPICS);
  const first = persona(talk, kind < 7 ? chatterAbout(talk, person) : chatterOn(dice, topic), { topic });
  const more = dice.chance(STAYING_PERCENT)
    ? [persona(talk, chatterOn(dice, topic), { topic }), agent(answerTo(talk, null))]
    : [];
  return [first, agent(answerTo(talk, null)), ...more];
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
    ...life.facts.filter((fact) => fact.session === session).map((fact) => thread(talk, fact)),
    ...talk.wishes
      .filter((_, at) => at * 2 + 1 === session)
      .map((wish) => [
        persona(talk, `please remember: ${wish.says}`, { meaning: { kind: 'wish', wish } }),
        agent('I will stick to that.'),
      ]),
  ];
  const length = LEAST_TURNS + dice.below(TURNS_RANGE);
  while (beats.flat().length < length) beats.push(smallTalk(talk));
  const welcome = agent(fill(dice.pick(WELCOMES), byText(''), { M: talk.persona }));
  return [persona(talk, dice.pick(GREETINGS)), welcome, ...dice.shuffle(beats).flat()];
}
