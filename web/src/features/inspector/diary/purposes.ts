import { reasonOf, turnLabel, type TurnParts } from './turn-labels.ts';

/** One act of an agent with its reason. `times` counts equal acts in a row; `at` is the newest of them. */
export interface PurposeAct {
  readonly key: string;
  readonly did: string;
  readonly why: string;
  readonly at: string;
  readonly times: number;
  readonly refused: boolean;
}

/** The turns of one village day that served one purpose. */
export interface Purpose {
  readonly key: string;
  readonly title: string;
  readonly at: string;
  /** True if the newest turn serves it. */
  readonly isPresent: boolean;
  /** `model`: a language model chose it, named in `model` if a turn says so. `rules`: the scripted mind did. */
  readonly by: 'model' | 'rules';
  readonly model: string | null;
  /** Newest first; without turns in which the agent only waited or walked on, unless a model has just decided that. */
  readonly acts: readonly PurposeAct[];
}

type Kept = TurnParts & { readonly turn_id: string; readonly recorded_at: string };
type Json = Readonly<Record<string, unknown>>;
type Choice = Readonly<{ purpose: string; model: string | null }>;

/** Groups turns by their purpose: the model's own, or the goal of the scripted mind. Turns and purposes are newest first. */
export function purposesOf(turns: readonly Kept[]): readonly Purpose[] {
  const groups = new Map<string, { readonly title: string; readonly indices: number[] }>();
  for (const [index, turn] of turns.entries()) {
    const title = choiceOf(turn)?.purpose || turnLabel(turn).goal;
    const key = `${dayOf(turn)} ${title.toLowerCase()}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { title, indices: [index] });
    else known.indices.push(index);
  }
  return [...groups].map(([key, { title, indices }]) => purposeOf(turns, { key, title, indices }));
}

/** The agent's own plan for the village day of its newest turn, in words; null if these turns hold none. */
export function dayPlanOf(turns: readonly Kept[]): string | null {
  const [newest] = turns;
  if (newest === undefined) return null;
  const today = turns.filter((turn) => dayOf(turn) === dayOf(newest));
  const plans = today.map(({ decided }) => objectAt(decided, 'choice')['plan']);
  return plans.find((plan) => typeof plan === 'string') ?? null;
}

type Group = Readonly<{ key: string; title: string; indices: readonly number[] }>;

function purposeOf(turns: readonly Kept[], { key, title, indices }: Group): Purpose {
  const own = indices.flatMap((index) => turns[index] ?? []);
  const choices = own.flatMap((turn) => choiceOf(turn) ?? []);
  return {
    key,
    title,
    at: own[0]?.recorded_at ?? '',
    isPresent: indices[0] === 0,
    by: choices.length > 0 ? 'model' : 'rules',
    model: choices.find(({ model }) => model !== null)?.model ?? null,
    acts: actsOf(turns, indices),
  };
}

/** Waiting is an act only in the turn in which a model decided it. */
function isAct(turn: Kept, did: string): boolean {
  if (did === 'Stayed.') return (choiceOf(turn)?.model ?? null) !== null;
  return did !== '';
}

function actsOf(turns: readonly Kept[], indices: readonly number[]): readonly PurposeAct[] {
  const acts: PurposeAct[] = [];
  for (const index of indices) {
    const turn = turns[index];
    if (turn === undefined) continue;
    const { did, refused } = turnLabel(turn);
    if (!isAct(turn, did)) continue;
    const why = reasonOf(turns, index);
    const last = acts.at(-1);
    if (last?.did === did && last.why === why) acts[acts.length - 1] = { ...last, times: last.times + 1 };
    else acts.push({ key: turn.turn_id, did, why, at: turn.recorded_at, times: 1, refused });
  }
  return acts;
}

/** The outcome of a purpose: `now · 3 acts, 1 refused`, `it waited`. */
export function purposeOutcome({ isPresent, acts }: Pick<Purpose, 'isPresent' | 'acts'>): string {
  const count = (list: readonly PurposeAct[]): number => list.reduce((sum, { times }) => sum + times, 0);
  const all = count(acts);
  const refused = count(acts.filter((act) => act.refused));
  const done = all === 0 ? 'only waited' : all === 1 ? '1 act' : `${all} acts`;
  return `${isPresent ? 'now · ' : ''}${done}${refused === 0 ? '' : `, ${refused} refused`}`;
}

/** The village day of a turn; -1 if the turn does not say it. */
function dayOf({ perceived }: Kept): number {
  const day = objectAt(objectAt(perceived, 'world'), 'time')['day'];
  return typeof day === 'number' ? day : -1;
}

function choiceOf({ decided }: Kept): Choice | null {
  const choice = decided['choice'];
  if (!isObject(choice)) return null;
  const { purpose, model } = choice;
  return {
    purpose: typeof purpose === 'string' ? purpose : '',
    model: typeof model === 'string' ? model : null,
  };
}

function objectAt(object: Json, key: string): Json {
  const value = object[key];
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
