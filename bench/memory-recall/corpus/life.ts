import type { Dice } from './dice.ts';
import { EVENT_TOPICS } from './event-topics.ts';
import { OWN_TOPICS } from './own-topics.ts';
import { PEOPLE_TOPICS } from './people-topics.ts';
import { NAMES, RELATIONS, VENUES, WEEKDAYS } from './phrases.ts';
import type { Topic } from './topic.ts';

export interface Person {
  readonly name: string;
  readonly gender: 'she' | 'he';
  /** The speaker's word for the person, such as "sister". */
  readonly relation: string;
  /** Session in which the speaker introduces the person. */
  readonly introduced: number;
}

export type FactKind = 'person' | 'own' | 'club';

/** Something that the speaker says once. */
export interface Fact {
  readonly kind: FactKind;
  readonly topic: Pick<Topic, 'name' | 'values' | 'says' | 'changes' | 'asks' | 'rephrases' | 'chatter'> &
    Partial<Topic>;
  readonly person: Person | null;
  readonly value: string;
  readonly session: number;
  /** An earlier fact that this one replaces. */
  readonly replaces?: Fact;
  /** An earlier fact that this one contradicts without a word about it. */
  readonly contradicts?: Fact;
  /** The speaker later asks to forget it. */
  readonly forgotten?: boolean;
}

export interface Life {
  readonly people: readonly Person[];
  readonly facts: readonly Fact[];
}

export interface LifeSize {
  readonly sessions: number;
  readonly people: number;
}

const NIGHT: Fact['topic'] = {
  name: 'club night',
  values: [],
  says: ['{v}', 'mark the calendar, {v}', 'in case you want to come along, {v}'],
  asks: [],
  rephrases: [],
  chatter: [],
};
const UNIQUE = new Set(['gift', 'book', 'meeting', 'pet']);
const TOPICS_OF_A_PERSON = { lasting: 6, events: 3 } as const;
/** Percentage of the changeable facts that change. */
const CHANGES_PERCENT = 45;
const CONTRADICTIONS_PERCENT = 25;
const SECOND_VALUE_PERCENT = 60;

function peopleOf(dice: Dice, size: LifeSize): readonly Person[] {
  const relations = { she: dice.shuffle(RELATIONS.she), he: dice.shuffle(RELATIONS.he) };
  const people = (['she', 'he'] as const).flatMap((gender) => NAMES[gender].map((name) => ({ name, gender })));
  return dice
    .shuffle(people)
    .slice(0, size.people)
    .map((person) => ({
      ...person,
      relation: relations[person.gender].pop() ?? 'friend',
      introduced: dice.below(Math.ceil(size.sessions / 4)),
    }));
}

/** Draws values that no other fact of the topic has, where a value names one person. */
function valuesOf(dice: Dice): (topic: Fact['topic']) => string | undefined {
  const left = new Map<string, string[]>();
  return (topic) => {
    if (!UNIQUE.has(topic.name)) return dice.pick(topic.values);
    const values = left.get(topic.name) ?? dice.shuffle(topic.values);
    left.set(topic.name, values);
    return values.pop();
  };
}

const later = (dice: Dice, after: number, sessions: number): number =>
  Math.min(sessions - 1, after + 1 + dice.below(Math.max(1, sessions - after - 1)));

/** The sequel of a first fact: a change, a contradiction, or more values of the same topic. */
function sequelsOf(fact: Fact, dice: Dice, { draw, sessions }: Course): readonly Fact[] {
  const { topic } = fact;
  const next = (): readonly Fact[] => {
    const value = draw(topic);
    return value === undefined ? [] : [{ ...fact, value, session: later(dice, fact.session, sessions) }];
  };
  if (fact.session >= sessions - 2) return [];
  if (topic.changes !== undefined)
    return dice.chance(CHANGES_PERCENT) ? next().map((each) => ({ ...each, replaces: fact })) : [];
  if (topic.name === 'birthday')
    return dice.chance(CONTRADICTIONS_PERCENT) ? next().map((each) => ({ ...each, contradicts: fact })) : [];
  if (topic.gathers === undefined || !dice.chance(SECOND_VALUE_PERCENT)) return [];
  return dice.chance(50) ? [...next(), ...next()] : next();
}

interface Course {
  readonly draw: (topic: Fact['topic']) => string | undefined;
  readonly sessions: number;
}

function factsOfPeople(dice: Dice, people: readonly Person[], sessions: number): readonly Fact[] {
  const draw = valuesOf(dice);
  return people.flatMap((person) => {
    const topics = [
      ...dice.shuffle(PEOPLE_TOPICS).slice(0, TOPICS_OF_A_PERSON.lasting),
      ...dice.shuffle(EVENT_TOPICS).slice(0, TOPICS_OF_A_PERSON.events),
    ];
    return topics.flatMap((topic) => {
      const value = draw(topic);
      if (value === undefined) return [];
      const session = later(dice, person.introduced, sessions);
      const fact: Fact = { kind: 'person', topic, person, value, session, forgotten: dice.chance(3) };
      return fact.forgotten === true
        ? [fact]
        : [fact, ...sequelsOf(fact, dice, { draw, sessions }).filter(({ value: other }) => other !== value)];
    });
  });
}

function ownFacts(dice: Dice, sessions: number): readonly Fact[] {
  return OWN_TOPICS.flatMap((topic) => {
    const values = dice.shuffle(topic.values).slice(0, 1 + dice.below(3));
    let before: Fact | undefined;
    return values.flatMap((value) => {
      const session: number =
        before === undefined ? dice.below(Math.ceil(sessions / 2)) : later(dice, before.session, sessions);
      if (before !== undefined && session === before.session) return [];
      const fact: Fact = { kind: 'own', topic, person: null, value, session, ...(before && { replaces: before }) };
      before = fact;
      return [fact];
    });
  });
}

/** One evening for each club that a person joined. */
function clubNights(dice: Dice, facts: readonly Fact[], sessions: number): readonly Fact[] {
  const clubs = new Set(facts.filter(({ topic }) => topic.name === 'club').map(({ value }) => value));
  return [...clubs].map((club) => ({
    kind: 'club',
    topic: { ...NIGHT, name: club },
    person: null,
    value: `${club} meet on ${dice.pick(WEEKDAYS)} in ${dice.pick(VENUES)}`,
    session: dice.below(sessions),
  }));
}

/** The people around one speaker, and everything that becomes true of them over the sessions. */
export function liveLife(dice: Dice, size: LifeSize): Life {
  const people = peopleOf(dice, size);
  const facts = [...factsOfPeople(dice, people, size.sessions), ...ownFacts(dice, size.sessions)];
  return { people, facts: [...facts, ...clubNights(dice, facts, size.sessions)] };
}
