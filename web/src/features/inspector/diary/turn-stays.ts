import { turnLabel, type TurnParts } from './turn-labels.ts';

/** The turns of one stay, as one entry of the diary. */
export interface DiaryEntry<T> {
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly at: string;
  readonly turns: readonly T[];
}

type Kept = TurnParts & { readonly turn_id: string; readonly recorded_at: string };
type Story = Readonly<{ id: string; name: string; entry: string }>;

/**
 * Groups consecutive turns, newest first, by stay; by goal if they have no stay. A group leaves out turns in which the
 * agent only waited, unless it has no others.
 */
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
  const stay = reflected['stay'];
  if (typeof stay !== 'object' || stay === null || !('id' in stay) || !('name' in stay) || !('entry' in stay))
    return null;
  const { id, name, entry } = stay;
  return typeof id === 'string' && typeof name === 'string' && typeof entry === 'string' ? { id, name, entry } : null;
}
