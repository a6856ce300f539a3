import { PurchaseItem } from '@hamlet/contract';
import { purchaseText } from '@hamlet/core';
import { lengthLabel } from '../../../ui/time-labels.ts';
import { capital } from '../../../client/labels.ts';
import { isJsonObject, type Json } from '../../../client/json.ts';

/** One turn of an agent in words. `did` is empty if there is nothing to show. */
interface TurnLabel {
  readonly goal: string;
  readonly saw: string;
  readonly did: string;
  readonly refused: boolean;
  readonly wake: string;
}

/** The fields of a turn that its description uses. The resident alone defines their content, so this code assumes no structure. */
export interface TurnParts {
  readonly trigger: 'tick' | 'wake';
  readonly wake?: { readonly kind: string } | undefined;
  readonly perceived: Json;
  readonly decided: Json;
  readonly acted: Json;
  readonly reflected: Json;
}

export function turnLabel(turn: TurnParts): TurnLabel {
  const outcome = textAt(turn.acted, 'outcome');
  return {
    goal: textAt(turn.decided, 'goal') || textAt(turn.decided, 'why') || 'did nothing',
    saw: perceptionText(turn.perceived),
    did: decisionText(turn),
    refused: outcome === 'refused' || outcome === 'unknown' || outcome === 'silent',
    wake: turn.trigger === 'wake' ? (WAKES[turn.wake?.kind ?? ''] ?? 'was woken') : '',
  };
}

/** The reason for a turn; during a walk, that of the turn that started it. `turns` are newest first. */
export function reasonOf(turns: readonly Pick<TurnParts, 'decided'>[], at: number): string {
  const turn = turns[at];
  if (turn === undefined) return '';
  const own = textAt(turn.decided, 'why');
  if (textAt(objectAt(turn.decided, 'command'), 'kind') === 'move') return own;
  const goal = textAt(turn.decided, 'goal');
  for (const earlier of turns.slice(at + 1)) {
    const moves = textAt(objectAt(earlier.decided, 'command'), 'kind') === 'move';
    if (textAt(earlier.decided, 'goal') !== goal) return own;
    if (moves && own === ON_THE_WAY) return textAt(earlier.decided, 'why');
  }
  return own;
}

/** The reason that the resident records for a turn in which it only keeps walking. */
const ON_THE_WAY = 'I am on my way';

const WAKES: Readonly<Record<string, string>> = {
  spoken_to: 'was spoken to',
  arrived: 'arrived',
  handed: 'was given something',
  item_seen: 'saw something lying there',
  met: 'met a neighbour',
};

function decisionText({ decided, acted }: TurnParts): string {
  const said = textAt(acted, 'said');
  switch (textAt(acted, 'outcome')) {
    case 'refused':
      return `Refused: ${textAt(acted, 'detail') || textAt(acted, 'code')}`;
    case 'silent':
      return `Said nothing: ${textAt(acted, 'why')}`;
    case 'unknown':
      return `No answer: ${textAt(acted, 'why')}`;
    case 'none':
      return 'Stayed.';
    case 'written':
      return writtenText(objectAt(decided, 'command'));
    case 'bought':
      return `Bought ${boughtText(objectAt(decided, 'command'))} for ${textAt(acted, 'price')} aiDollars.`;
    case 'bid':
      return `Bid ${textAt(acted, 'amount')} aiDollars.`;
    default:
      return said === '' ? commandText(objectAt(decided, 'command')) : `Said “${said}”`;
  }
}

function writtenText(command: Json): string {
  if (textAt(command, 'kind') === 'reply') return 'Replied on the board.';
  const title = textAt(command, 'title');
  return title === '' ? 'Wrote on the board.' : `Wrote “${title}” on the board.`;
}

function boughtText({ item, seconds }: Json): string {
  const read = PurchaseItem.safeParse(item);
  if (!read.success) return 'compute';
  return `${purchaseText(read.data)}${typeof seconds === 'number' && seconds > 0 ? ` (${lengthLabel(seconds * 1000)})` : ''}`;
}

function commandText(command: Json): string {
  const body = objectAt(command, 'body');
  const landmark = textAt(body, 'landmark_id');
  if (textAt(command, 'kind') === 'move') return landmark === '' ? 'Walked.' : `Walked to ${landmark}.`;
  const text = textAt(body, 'text');
  const kind = textAt(body, 'kind').replaceAll('_', ' ');
  if (text !== '') return `Said “${text}”`;
  const object = textAt(body, 'item_id') || textAt(body, 'target') || textAt(body, 'emote');
  return kind === '' ? '' : `${capital(kind)} ${object}`.trim();
}

function perceptionText(perceived: Json): string {
  const world = objectAt(perceived, 'world');
  const count = (key: string): number => {
    const list = world[key];
    return Array.isArray(list) ? list.length : 0;
  };
  const people = count('neighbours');
  const things = count('items');
  const parts = [
    people === 0 ? 'no neighbour near' : people === 1 ? 'one neighbour' : `${people} neighbours`,
    things === 0 ? '' : things === 1 ? 'one thing in reach' : `${things} things in reach`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function textAt(object: Json, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

function objectAt(object: Json, key: string): Json {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

/** One act of an agent with its reason. `times` counts equal acts in a row; `at` is the newest of them. */
interface PurposeAct {
  readonly key: string;
  readonly did: string;
  readonly why: string;
  readonly at: string;
  readonly times: number;
  readonly refused: boolean;
}

export interface Purpose {
  readonly key: string;
  readonly title: string;
  readonly at: string;
  readonly isPresent: boolean;
  /** `model`: a language model chose it, named in `model` if a turn says so. `rules`: the scripted mind did. */
  readonly by: 'model' | 'rules';
  readonly model: string | null;
  /** Newest first. Omits turns in which the agent only waited or walked on, unless a model decided so in that turn. */
  readonly acts: readonly PurposeAct[];
}

type Kept = TurnParts & { readonly turn_id: string; readonly recorded_at: string };
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

export function purposeOutcome({ isPresent, acts }: Pick<Purpose, 'isPresent' | 'acts'>): string {
  const count = (list: readonly PurposeAct[]): number => list.reduce((sum, { times }) => sum + times, 0);
  const all = count(acts);
  const refused = count(acts.filter((act) => act.refused));
  const done = all === 0 ? 'only waited' : all === 1 ? '1 act' : `${all} acts`;
  return `${isPresent ? 'now · ' : ''}${done}${refused === 0 ? '' : `, ${refused} refused`}`;
}

/** The village day of a turn; -1 if the turn does not state it. */
function dayOf({ perceived }: Kept): number {
  const day = objectAt(objectAt(perceived, 'world'), 'time')['day'];
  return typeof day === 'number' ? day : -1;
}

function choiceOf({ decided }: Kept): Choice | null {
  const choice = decided['choice'];
  if (!isJsonObject(choice)) return null;
  return { purpose: textAt(choice, 'purpose'), model: textAt(choice, 'model') || null };
}

export type DiaryEntry<T> = Readonly<{ key: string; title: string; text: string; at: string; turns: readonly T[] }>;

type Story = Readonly<{ id: string; name: string; entry: string }>;

/** Groups consecutive turns by stay, else by goal, without turns that only waited unless there are no others. */
export function diaryOf<T extends Kept>(turns: readonly T[]): readonly DiaryEntry<T>[] {
  const groups: { readonly id: string; readonly turns: T[] }[] = [];
  for (const turn of turns) {
    const id = storyOf(turn)?.id ?? `goal ${turnLabel(turn).goal}`;
    const last = groups.at(-1);
    if (last?.id === id) last.turns.push(turn);
    else groups.push({ id, turns: [turn] });
  }
  return groups.map(({ turns: all }) => entryOf(all));
}

function entryOf<T extends Kept>(all: readonly T[]): DiaryEntry<T> {
  const [newest] = all;
  const oldest = all.at(-1);
  if (newest === undefined || oldest === undefined) throw new Error('a diary entry has no turns');
  const story = storyOf(newest);
  const lived = all.filter((turn) => turnLabel(turn).did !== 'Stayed.');
  return {
    key: oldest.turn_id,
    title: story?.name ?? turnLabel(newest).goal,
    text: story?.entry ?? '',
    at: newest.recorded_at,
    turns: lived.length === 0 ? [newest] : lived,
  };
}

function storyOf({ reflected }: Kept): Story | null {
  const { id, name, entry } = objectAt(reflected, 'stay');
  return typeof id === 'string' && typeof name === 'string' && typeof entry === 'string' ? { id, name, entry } : null;
}
