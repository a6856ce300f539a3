import {
  getVillageFreeze,
  getVillageTimeline,
  HINTED,
  type Hinted,
  listEntitlements,
  listMyNeeds,
  listPermissions,
  listUnread,
} from '@hamlet/contract';
import type { QueryClient } from '@tanstack/react-query';
import type { Agents } from '../agents/agents.ts';
import type { BoardLive } from '../board/board-live.ts';

/** While hints arrive, a page also reads this often, in case one was lost. */
const UNHINTED_MS = 30_000;
/** Least time between two answers to hints: an agent at work gives one every two seconds, and five reads answer it. */
const GATHER_MS = 5_000;

const ROUTES: Readonly<Record<Hinted, readonly string[]>> = {
  needs: [listMyNeeds.name, listPermissions.name],
  unread: [listUnread.name],
  work: [getVillageTimeline.name],
  agents: [listEntitlements.name],
  freeze: [getVillageFreeze.name],
};

/** True while hints arrive. */
export const isHinted = ({ connection }: Pick<BoardLive, 'connection'>): boolean => connection.get() === 'live';

/** The pace of a read that hints announce: `fastMs` while they do not arrive. */
export function hintedPace(board: Pick<BoardLive, 'connection'>, fastMs: number): () => number {
  return () => (isHinted(board) ? UNHINTED_MS : fastMs);
}

interface Parts {
  readonly board: Pick<BoardLive, 'onHint'>;
  readonly queries: Pick<QueryClient, 'invalidateQueries'>;
  readonly agents: Pick<Agents, 'hinted'>;
}

/** Reads again what hints name. A hidden page reads nothing; once it is seen again, it reads everything. */
export function followHints({ board, queries, agents }: Parts): void {
  const due = new Set<Hinted>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let readMs = 0;

  function read(): void {
    timer = undefined;
    if (document.hidden) return;
    readMs = Date.now();
    const names = new Set([...due].flatMap((kind) => ROUTES[kind]));
    if (due.has('agents')) agents.hinted();
    due.clear();
    void queries.invalidateQueries({ predicate: ({ queryKey: [, name] }) => names.has(String(name)) });
  }

  function note(of: readonly Hinted[]): void {
    for (const kind of of) due.add(kind);
    timer ??= setTimeout(read, Math.max(0, readMs + GATHER_MS - Date.now()));
  }

  board.onHint(note);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) note(HINTED);
  });
}
