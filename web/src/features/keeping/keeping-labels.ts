import type { Keeping, KeptThing } from '@hamlet/contract';
import { KEPT_UNTIL } from '@hamlet/contract';

const GROUP_WORDS: Readonly<Record<KeptThing['until'], string>> = {
  permanent: 'Stays permanently',
  age: 'Deleted when it is old enough',
  count: 'Only the newest',
  owner: 'Deleted with what it belongs to',
  state: 'Present state',
};

interface Group {
  readonly word: string;
  readonly things: readonly KeptThing[];
}

/** The things by their kind of rule, the largest first. Pure. */
export function groupsOf({ things }: Pick<Keeping, 'things'>): readonly Group[] {
  return KEPT_UNTIL.map((until) => ({
    word: GROUP_WORDS[until],
    things: things.filter((thing) => thing.until === until).toSorted((one, other) => other.bytes - one.bytes),
  })).filter((group) => group.things.length > 0);
}

export function termLabel({ days, until }: Pick<KeptThing, 'days' | 'until'>): string {
  const term = days === 1 ? '1 day' : `${days} days`;
  if (until === 'permanent') return days === null ? 'Permanently' : `Permanently, texts ${term}`;
  return days === null ? 'By its rule' : term;
}

export function deletedLabel({ deleted_by: by, setting }: Pick<KeptThing, 'deleted_by' | 'setting'>): string {
  const parts = [by === null ? null : `deleted by ${by}`, setting === null ? null : `setting: ${setting}`];
  return parts.filter((part) => part !== null).join(', ');
}

const NUMBER = new Intl.NumberFormat('en');

export const rowsLabel = (rows: number): string => (rows === 1 ? 'about 1 row' : `about ${NUMBER.format(rows)} rows`);

/** Percent of the database, 0 to 100. */
export function shareOf({ bytes }: Pick<KeptThing, 'bytes'>, { database_bytes: all }: Keeping): number {
  return all === 0 ? 0 : Math.min(100, (bytes / all) * 100);
}
