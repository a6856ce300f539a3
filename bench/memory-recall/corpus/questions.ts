import type { Dice } from './dice.ts';
import type { Fact, Life, Person } from './life.ts';
import { byName, byRelation, byText, fill, type Mention } from './phrase.ts';
import type { STANDING_WISHES } from './own-topics.ts';

/** Kinds of questions, by what makes them hard. */
export const QUESTION_KINDS = [
  'single',
  'paraphrase',
  'temporal',
  'update',
  'contradiction',
  'pinned',
  'multi',
  'forgotten',
] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface AskedQuestion {
  readonly question: string;
  /** Ids of the turns that answer it together; empty if the answer was forgotten. */
  readonly evidence: readonly string[];
  readonly kind: QuestionKind;
  /** Turns that answered it once and that a later turn replaces. */
  readonly stale: readonly string[];
}

/** Where each fact, introduction and wish was said. */
export interface Said {
  fact(fact: Fact): string;
  /** The turn of the fact as it was written. */
  words(fact: Fact): string;
  /** The month in which the fact was said, such as "March 2025". */
  month(fact: Fact): string;
  introduction(person: Person): string;
  wish(wish: (typeof STANDING_WISHES)[number]): string;
}

/** Percentage of questions that name the person differently from the turn. */
const OTHER_MENTION_PERCENT = 10;

/** Percentage of facts that a question finds by their value; and, of the rest, by other words. */
const WHO_PERCENT = 40;
const PARAPHRASE_PERCENT = 22;
const LIST_PERCENT = 60;
const SHARED_PERCENT = 40;
const MONTHS = [
  'What news was there of {S} in {m}?',
  'What was up with {O} in {m}?',
  'What did I say about {O} in {m}?',
] as const;
const MONTH_PERCENT = 10;
const WHOS = [
  'Who is {who}?',
  'What is the name of {who}?',
  'Do you remember {who}? I forgot the name.',
  'Which of my people is {who}?',
] as const;

interface Asking {
  readonly dice: Dice;
  readonly life: Life;
  readonly said: Said;
}

const withoutPossessive = (templates: readonly string[]): readonly string[] =>
  templates.filter((text) => !text.includes('{P}'));
const isReplaced = (life: Life, fact: Fact): boolean => life.facts.some(({ replaces }) => replaces === fact);

/** All facts that the given one replaced, newest first. */
function earlier(fact: Fact): readonly Fact[] {
  return fact.replaces === undefined ? [] : [fact.replaces, ...earlier(fact.replaces)];
}

/** The person, usually as the turn names it. */
function mentionOf(dice: Dice, person: Person | null, words: string): Mention {
  if (person === null) return byText('I');
  const isRelation = words.includes(person.relation) !== dice.chance(OTHER_MENTION_PERCENT);
  return isRelation ? byRelation(person) : byName(person);
}

const longWords = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[a-z]{4,}/g));

/** The template that shares the most words with the turn. */
function nearest(templates: readonly string[], words: string): string {
  const near = (template: string): number => longWords(template).intersection(longWords(words)).size;
  return templates.toSorted((a, b) => near(b) - near(a))[0] ?? '';
}

/** A kind of question about one fact, its templates, and the facts that answer it. */
interface Wanted {
  readonly kind: QuestionKind;
  readonly templates: readonly string[];
  readonly facts: readonly Fact[];
}

/** The question that the history of a fact allows; undefined for a fact without one. */
function byHistory({ life }: Asking, fact: Fact): Wanted | 'none' | undefined {
  const templates = [...fact.topic.asks, ...fact.topic.rephrases];
  if (fact.kind === 'club' || isReplaced(life, fact) || life.facts.some((each) => each.contradicts === fact))
    return 'none';
  if (fact.forgotten === true) return { kind: 'forgotten', templates, facts: [] };
  if (fact.contradicts !== undefined) return { kind: 'contradiction', templates, facts: [fact.contradicts, fact] };
  return fact.replaces && { kind: 'update', templates, facts: [fact] };
}

/** A question for the time, by the value, in other words, or in the words of the fact. */
function byWords(asking: Asking, fact: Fact): Wanted | 'none' {
  const { dice, life } = asking;
  const { topic, person } = fact;
  if (topic.whens !== undefined && dice.chance(60)) return { kind: 'temporal', templates: topic.whens, facts: [fact] };
  const whos = describing(asking, [fact]).flatMap((each) => each.topic.describes ?? []);
  if (whos.length > 0 && dice.chance(WHO_PERCENT))
    return { kind: 'single', templates: whos.map((who) => dice.pick(WHOS).replace('{who}', who)), facts: [fact] };
  const isOneOfSeveral = life.facts.some(
    (each) => each !== fact && each.person === person && each.topic.name === topic.name,
  );
  if (isOneOfSeveral && !namesValue(topic)) return 'none';
  return dice.chance(PARAPHRASE_PERCENT)
    ? { kind: 'paraphrase', templates: topic.rephrases, facts: [fact] }
    : { kind: 'single', templates: topic.asks, facts: [fact] };
}

const namesValue = ({ asks }: Fact['topic']): boolean => asks[0]?.includes('{v}') === true;

/** One question for each fact that holds. */
function aboutOne(asking: Asking, fact: Fact): readonly AskedQuestion[] {
  const { dice, said } = asking;
  const wanted = byHistory(asking, fact) ?? byWords(asking, fact);
  if (wanted === 'none') return [];
  const { kind, templates, facts } = wanted;
  const words = said.words(fact);
  const isNear = kind === 'single' || (kind === 'update' && dice.chance(50));
  const template = isNear ? nearest(templates, words) : dice.pick(templates);
  return [
    {
      question: fill(template, mentionOf(dice, fact.person, words), { v: fact.value }),
      evidence: facts.map((each) => said.fact(each)),
      kind,
      stale: earlier(fact).map((each) => said.fact(each)),
    },
  ];
}

/** For some people, all that was said of them in one month. */
function inOneMonth({ dice, life, said }: Asking, person: Person): readonly AskedQuestion[] {
  const facts = life.facts.filter((fact) => fact.person === person && fact.forgotten !== true);
  const months = [...Map.groupBy(facts, (fact) => said.month(fact))].filter(([, of]) => of.length < 3);
  return months.flatMap(([month, of]) => {
    if (!dice.chance(MONTH_PERCENT)) return [];
    const question = fill(dice.pick(MONTHS), byName(person), { m: month });
    return [{ question, evidence: of.map((fact) => said.fact(fact)), kind: 'temporal', stale: [] } as const];
  });
}

/** Questions whose evidence is said in two or three sessions: by a description, a relation, a club, a list. */
function acrossSessions(asking: Asking, person: Person): readonly AskedQuestion[] {
  const { life } = asking;
  const facts = life.facts.filter(
    (fact) =>
      fact.person === person && fact.forgotten !== true && fact.contradicts === undefined && !isReplaced(life, fact),
  );
  return [...bridges(asking, facts), ...byClub(asking, facts), ...byKinship(asking, facts), ...lists(asking, facts)];
}

function describing({ life }: Asking, facts: readonly Fact[]): readonly Fact[] {
  return facts.filter(
    ({ topic, value, person }) =>
      topic.describes !== undefined &&
      !life.facts.some((each) => each.topic.name === topic.name && each.value === value && each.person !== person),
  );
}

function bridges(asking: Asking, facts: readonly Fact[]): readonly AskedQuestion[] {
  const { dice, said } = asking;
  return dice
    .shuffle(describing(asking, facts))
    .slice(0, 1 + dice.below(2))
    .flatMap((known) => {
      const wanted = facts.filter(
        ({ topic, session }) =>
          session !== known.session &&
          topic.name !== known.topic.name &&
          topic.gathers === undefined &&
          withoutPossessive([...topic.asks, ...topic.rephrases]).length > 0 &&
          !namesValue(topic),
      );
      if (wanted.length === 0) return [];
      const fact = dice.pick(wanted);
      const description = byText(fill(dice.pick(known.topic.describes ?? []), byText(''), { v: known.value }));
      const templates = withoutPossessive([...fact.topic.asks, ...fact.topic.rephrases]);
      return [across(fill(dice.pick(templates), description), [said.fact(known), said.fact(fact)])];
    });
}

const across = (question: string, evidence: readonly string[]): AskedQuestion => ({
  question,
  evidence,
  kind: 'multi',
  stale: [],
});

/** Three sessions: description, club, evening of the club. */
function byClub(asking: Asking, facts: readonly Fact[]): readonly AskedQuestion[] {
  const { dice, life, said } = asking;
  const club = facts.find(({ topic }) => topic.name === 'club');
  const night = life.facts.find(({ kind, topic }) => kind === 'club' && topic.name === club?.value);
  if (club === undefined || night === undefined) return [];
  const known = describing(asking, facts).find((fact) => fact !== club);
  const templates = [
    'On which evening is {S} out with the club?',
    'Where would I find {S} on a club evening?',
    'When do the club mates of {S} come together?',
  ];
  if (known === undefined || dice.chance(25))
    return [across(fill(dice.pick(templates), byText(club.person?.name ?? '')), [said.fact(club), said.fact(night)])];
  const description = byText(fill(dice.pick(known.topic.describes ?? []), byText(''), { v: known.value }));
  return [across(fill(dice.pick(templates), description), [said.fact(known), said.fact(club), said.fact(night)])];
}

/** Introduction and fact. */
function byKinship({ dice, said }: Asking, facts: readonly Fact[]): readonly AskedQuestion[] {
  const plain = facts.filter(
    ({ topic, person, session }) => topic.gathers === undefined && !namesValue(topic) && session !== person?.introduced,
  );
  if (plain.length === 0 || dice.chance(70)) return [];
  const fact = dice.pick(plain);
  if (fact.person === null) return [];
  const question = fill(dice.pick([...fact.topic.asks, ...fact.topic.rephrases]), byRelation(fact.person));
  return [across(question, [said.introduction(fact.person), said.fact(fact)])];
}

/** All values of one topic, said in different sessions. */
function lists({ dice, said }: Asking, facts: readonly Fact[]): readonly AskedQuestion[] {
  const topics = new Map(facts.map(({ topic }) => [topic.name, topic]));
  return [...topics.values()].flatMap(({ name, gathers }) => {
    const several = facts.filter(({ topic }) => topic.name === name);
    const person = several[0]?.person ?? null;
    if (gathers === undefined || person === null || several.length < 2 || !dice.chance(LIST_PERCENT)) return [];
    return [
      across(
        fill(dice.pick(gathers), byName(person)),
        several.map((fact) => said.fact(fact)),
      ),
    ];
  });
}

/** Two or three people with the same value of a topic. */
function shared({ dice, life, said }: Asking): readonly AskedQuestion[] {
  const groups = Map.groupBy(
    life.facts.filter((fact) => fact.topic.shares !== undefined && fact.forgotten !== true && !isReplaced(life, fact)),
    ({ topic, value }) => `${topic.name}: ${value}`,
  );
  return [...groups.values()].flatMap((facts) => {
    const [first] = facts;
    if (first === undefined || facts.length < 2 || facts.length > 3 || !dice.chance(SHARED_PERCENT)) return [];
    return [
      across(
        fill(dice.pick(first.topic.shares ?? []), byText(''), { v: first.value }),
        facts.map((fact) => said.fact(fact)),
      ),
    ];
  });
}

/** Every question that the life and the talk about it can answer. */
export function questionsOf(
  asking: Asking,
  wishes: readonly (typeof STANDING_WISHES)[number][],
): readonly AskedQuestion[] {
  const { dice, life, said } = asking;
  return [
    ...life.facts.flatMap((fact) => aboutOne(asking, fact)),
    ...life.people.flatMap((person) => [...inOneMonth(asking, person), ...acrossSessions(asking, person)]),
    ...shared(asking),
    ...wishes.map((wish): AskedQuestion => ({
      question: dice.pick(wish.asks),
      evidence: [said.wish(wish)],
      kind: 'pinned',
      stale: [],
    })),
  ];
}
