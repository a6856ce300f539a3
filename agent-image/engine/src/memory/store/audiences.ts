import type { DatabaseSync } from 'node:sqlite';
import { mayAllKnow } from '../audience.ts';
import type { Audience, Present } from '../memory.ts';

const PUBLIC = 'public';

/** Audiences of the store by number, so that an index can be filtered by them. */
export interface Audiences {
  /** The number of an audience; adds it if it is new. */
  numberOf(audience: Audience): number;
  /** The numbers of all audiences that include everyone who is present; null if no filter is needed. */
  visibleTo(present: Present): ReadonlySet<number> | null;
  /** Reads the table again, after a rollback. */
  reload(): void;
}

export function openAudiences(database: DatabaseSync): Audiences {
  const insert = database.prepare('insert into audience (members) values (?) returning id');
  const all = database.prepare('select id, members from audience');
  const known = new Map<string, Readonly<{ number: number; audience: Audience }>>();
  const reload = (): void => {
    known.clear();
    for (const { id, members } of all.all())
      known.set(String(members), { number: Number(id), audience: parseMembers(String(members)) });
  };
  reload();
  return {
    numberOf: (audience) => {
      const members = membersText(audience);
      const found = known.get(members);
      if (found !== undefined) return found.number;
      const number = Number(insert.get(members)?.['id']);
      known.set(members, { number, audience });
      return number;
    },
    visibleTo: (present) => {
      const visible = [...known.values()].filter(({ audience }) => mayAllKnow(audience, present));
      return visible.length === known.size ? null : new Set(visible.map(({ number }) => number));
    },
    reload,
  };
}

/** The canonical text of a set of people. */
export const membersText = (audience: Audience): string =>
  audience === PUBLIC ? PUBLIC : JSON.stringify([...new Set(audience)].toSorted());

export const parseMembers = (members: string): Audience =>
  members === PUBLIC ? PUBLIC : (JSON.parse(members) as readonly string[]);
