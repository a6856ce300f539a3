import { AWAY_KINDS, type AwayGroup, type AwayKind, type RoutePermission } from '@hamlet/contract';
import {
  type AwayRows,
  findAccount,
  readAwayRows,
  readTimelineRows,
  readUnreadPosts,
  readUnreadSessions,
  type Tx,
} from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import { answersGroup, boardGroups, rowsGroup } from './away-view.ts';
import { readableKinds } from '../timeline/readable-kinds.ts';

/** The permission of the route that returns the same rows. */
const PERMISSION_OF_KIND: Readonly<Record<AwayKind, RoutePermission>> = {
  answers: 'sessions:read',
  replies: 'board:read',
  results: 'runs:read',
  failures: 'runs:read',
  schedules: 'schedules:read',
  money: 'ledger:read',
  restrictions: 'standing:read',
  posts: 'board:read',
  members: 'accounts:read',
};

/** The kinds of changes that an actor may read. */
export const awayKindsFor = (actor: Actor): readonly AwayKind[] => readableKinds(actor, AWAY_KINDS, PERMISSION_OF_KIND);

async function readGroup(tx: Tx, found: AwayRows, actor: Actor): Promise<AwayGroup | null> {
  const { source, id, agentId } = found;
  if (source === 'account') {
    const account = await findAccount(tx, id);
    return rowsGroup(found, { rows: null, name: account?.name ?? id, actor });
  }
  const rows = agentId === null ? null : await readTimelineRows(tx, agentId, [{ source, id, place: id }]);
  return rowsGroup(found, { rows, name: '', actor });
}

/** The changes since a time, for a person. The transaction needs the person as viewer of the board. */
export async function readAwayGroups(tx: Tx, actor: Actor, since: Date): Promise<AwayGroup[]> {
  const kinds = awayKindsFor(actor);
  const groups: AwayGroup[] = [];
  if (kinds.includes('answers')) groups.push(...answersGroup(await readUnreadSessions(tx, actor.id), since));
  if (kinds.includes('posts')) groups.push(...boardGroups(await readUnreadPosts(tx, actor.id), since));
  for (const found of await readAwayRows(tx, kinds, since)) {
    const group = await readGroup(tx, found, actor);
    if (group !== null) groups.push(group);
  }
  return groups.toSorted((left, right) => AWAY_KINDS.indexOf(left.kind) - AWAY_KINDS.indexOf(right.kind));
}
