import type { AwayGroup, AwayKind } from '@hamlet/contract';
import { AWAY_COUNT_MAX } from '@hamlet/contract';
import { timelineText } from '@hamlet/core';
import type { AwayRows, TimelineRows, UnreadPost, UnreadSession } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import { entryOf } from '../timeline/timeline-entry.ts';
import { agentPage, runPage } from './web-links.ts';

type Newest = AwayGroup['newest'];

function groupOf(kind: AwayKind, count: number, newest: Newest): AwayGroup {
  return { kind, count: Math.min(count, AWAY_COUNT_MAX), more: count > AWAY_COUNT_MAX, newest };
}

const sumOf = (rows: readonly { readonly texts: number }[]): number => rows.reduce((sum, { texts }) => sum + texts, 0);

/** The answers in sessions with texts since a time. The rows are newest first. Pure. */
export function answersGroup(unread: readonly UnreadSession[], since: Date): readonly AwayGroup[] {
  const recent = unread.filter(({ at }) => at > since);
  const [newest] = recent;
  if (newest === undefined) return [];
  const { agentId, sessionId, title, at } = newest;
  const line = title === null ? 'answered you' : `answered you in “${title}”`;
  const link = `/?agent=${agentId}&chat=${sessionId}`;
  return [groupOf('answers', sumOf(recent), { agent_id: agentId, at: at.toISOString(), line, link })];
}

/** The texts on the board since a time: replies to own posts, and all others. The rows are newest first. Pure. */
export function boardGroups(unread: readonly UnreadPost[], since: Date): readonly AwayGroup[] {
  const recent = unread.filter(({ at }) => at > since);
  return (['replies', 'posts'] as const).flatMap((kind) => {
    const rows = recent.filter(({ isOwn }) => isOwn === (kind === 'replies'));
    const [newest] = rows;
    return newest === undefined ? [] : [groupOf(kind, sumOf(rows), newestPost(newest))];
  });
}

function newestPost({ postId, title, isReply, authorType, authorId, authorName, at }: UnreadPost): Newest {
  const isAgent = authorType === 'agent';
  const act = `${isReply ? 'replied to' : 'wrote'} “${title}”`;
  const link = `/?view=board&post=${postId}`;
  const line = isAgent ? act : `${authorName} ${act}`;
  return { agent_id: isAgent ? authorId : null, at: at.toISOString(), line, link };
}

/** A group of rows links to the page of its newest row, or to the page that lists such rows. */
const LINKS: Readonly<Record<AwayRows['kind'], (row: AwayRows) => string>> = {
  results: ({ id }) => runPage(id),
  failures: ({ id }) => runPage(id),
  schedules: () => '/?view=schedules',
  money: ({ agentId }) => agentPage(agentId, 'money'),
  restrictions: ({ agentId }) => agentPage(agentId, 'standing'),
  members: () => '/?view=people',
};

interface Reading {
  /** The newest row, read for its agent; null for an account, of which `name` is set. */
  readonly rows: TimelineRows | null;
  readonly name: string;
  readonly actor: Actor;
}

/** A group of rows as its reader may see it; null if its newest row is gone. Pure. */
export function rowsGroup(found: AwayRows, { rows, name, actor }: Reading): AwayGroup | null {
  const { kind, count, source, id, agentId, at } = found;
  const newest = { agent_id: agentId, at: at.toISOString(), link: LINKS[kind](found) };
  if (source === 'account') return groupOf(kind, count, { ...newest, line: `${name} joined` });
  if (agentId === null || rows === null) return null;
  const entry = entryOf({ source, id, place: id }, rows, { agentId, actor });
  return entry === null ? null : groupOf(kind, count, { ...newest, line: timelineText(entry) });
}
