import { existsSync, rmSync } from 'node:fs';
import type { Audience, Memory, NewMemory } from '@hamlet/engine/memory';
import { NOTE, type Entity } from './entity.ts';
import { readEntities } from './life-store.ts';
import { NO_SUBJECT } from './remembered.ts';

interface MovePorts {
  readonly store: Memory;
  /** The memory file of an earlier version. */
  readonly path: string;
  /** The people of a session; null if the village has deleted it. Rejects if the API does not answer. */
  readonly peopleOf: (session: string) => Promise<readonly string[] | null>;
}

/**
 * Moves the notes of an earlier version into the store, each for the people of the conversation in which it arose, and deletes the
 * file, so that a forgotten note leaves no bytes in it. A repeated move has no further effect.
 */
export async function moveOldNotes({ store, path, peopleOf }: MovePorts): Promise<void> {
  if (!existsSync(path)) return;
  const notes = readEntities(path).filter(({ entityType }) => entityType === NOTE);
  const newest = new Map(notes.map((note) => [note.name, note]));
  for (const note of newest.values()) await store.remember([factOf(note, await audienceOf(note, peopleOf))]);
  rmSync(path);
}

const OF_ONE = /^(?:person (.+)|(schedule .+))$/;

async function audienceOf({ audience }: Entity, peopleOf: MovePorts['peopleOf']): Promise<Audience> {
  if (audience === null || audience === undefined) return 'public';
  const [, person, schedule] = OF_ONE.exec(audience) ?? [];
  const one = person ?? schedule;
  if (one !== undefined) return [one];
  const people = (await peopleOf(audience)) ?? [];
  return people.length === 0 ? [`session ${audience}`] : people;
}

const factOf = ({ name, observations, about, pinned = false }: Entity, audience: Audience): NewMemory => ({
  kind: 'fact',
  id: name,
  text: observations.join('\n'),
  subject: about ?? NO_SUBJECT,
  layer: 'profile',
  audience,
  pinned,
});
