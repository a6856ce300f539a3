import type { DialogueTurn, Dialogue } from '@hamlet/engine/recall';
import { diceOf } from './dice.ts';
import { liveLife, type Fact, type LifeSize } from './life.ts';
import { STANDING_WISHES } from './own-topics.ts';
import { PERSONAS } from './phrases.ts';
import { questionsOf, type AskedQuestion } from './questions.ts';
import { talkThrough, type Meaning } from './talk.ts';

export const SIZES = {
  small: { sessions: 14, people: 5 },
  standard: { sessions: 50, people: 12 },
} as const satisfies Readonly<Record<string, LifeSize>>;
const WISHES = 3;
const BEGIN = Date.UTC(2025, 0, 6, 18);
const DAY_MS = 86_400_000;
const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const TURN_MS = 40_000;

export interface GeneratedDialogue extends Dialogue {
  readonly questions: readonly AskedQuestion[];
  /** Turns that the speaker asked to keep. */
  readonly pinned: readonly string[];
  /** Turns that the speaker later asked to forget, with the answers that repeat them. */
  readonly forgotten: readonly string[];
}

/** The conversation of one persona with its agent, with questions; the same seed and number give the same text. */
export function generateDialogue(seed: number, number: number, size: LifeSize): GeneratedDialogue {
  const dice = diceOf(seed, number);
  const life = liveLife(dice, size);
  const persona = dice.pick(PERSONAS);
  const wishes = dice.shuffle(STANDING_WISHES).slice(0, WISHES);
  const turns: DialogueTurn[] = [];
  const meanings: { readonly id: string; readonly meaning: Meaning }[] = [];
  let day = BEGIN;
  for (let session = 0; session < size.sessions; session += 1) {
    day += (2 + dice.below(12)) * DAY_MS;
    for (const [at, { by, text, meaning }] of talkThrough({ dice, life, persona, wishes }, session).entries()) {
      const id = `p${number}s${session + 1}:${at + 1}`;
      turns.push({
        id,
        session: `p${number}s${session + 1}`,
        speaker: by === 'agent' ? 'Agent' : persona,
        text,
        at: day + at * TURN_MS,
      });
      if (meaning !== undefined) meanings.push({ id, meaning });
    }
  }
  return { turns, ...meant(meanings, turns, (said) => questionsOf({ dice, life, said }, wishes)) };
}

type Said = Parameters<typeof questionsOf>[0]['said'];

function meant(
  meanings: readonly { readonly id: string; readonly meaning: Meaning }[],
  turns: readonly DialogueTurn[],
  ask: (said: Said) => readonly AskedQuestion[],
): Omit<GeneratedDialogue, 'turns'> {
  const where = (what: string, is: (meaning: Meaning) => boolean): string => {
    const found = meanings.find(({ meaning }) => is(meaning));
    if (found === undefined) throw new Error(`no turn says the ${what}`);
    return found.id;
  };
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const fact = (one: Fact): string =>
    where(one.topic.name, (meaning) => meaning.kind === 'fact' && meaning.fact === one);
  const said: Said = {
    fact,
    words: (one) => byId.get(fact(one))?.text ?? '',
    month: (one) => MONTH.format(byId.get(fact(one))?.at),
    introduction: (person) =>
      where(person.name, (meaning) => meaning.kind === 'introduction' && meaning.person === person),
    wish: (wish) => where(wish.says, (meaning) => meaning.kind === 'wish' && meaning.wish === wish),
  };
  const idsOf = (is: (meaning: Meaning) => boolean): readonly string[] =>
    meanings.flatMap(({ id, meaning }) => (is(meaning) ? [id] : []));
  return {
    questions: ask(said),
    pinned: idsOf(({ kind }) => kind === 'wish'),
    forgotten: idsOf(
      (meaning) => (meaning.kind === 'fact' || meaning.kind === 'echo') && meaning.fact.forgotten === true,
    ),
  };
}
