import type { AgentConfig, AgentDetail } from '@hamlet/contract';
import type { BoardMind } from '../brain/mind.ts';
import type { BoardSight, Judged } from '../brain/situation.ts';
import type { Village } from '../village/village.ts';
import type { Desk } from './desk.ts';

export interface LookFrom {
  readonly standing: Pick<AgentDetail, 'balance'>;
  readonly config: AgentConfig;
  readonly board: BoardMind;
  /** If false, a later turn reads the news. */
  readonly withNews: boolean;
}

/** Reads the board, the account and the resources of the agent. A later turn repeats reads that fail now. */
export async function lookAtBoard(
  { village, requests, planner }: Pick<Desk, 'requests' | 'planner'> & { readonly village: Village },
  from: LookFrom,
): Promise<BoardSight> {
  const { config, board, withNews } = from;
  const [page, judged, plan] = await Promise.all([
    withNews ? village.news(board.after) : null,
    judgedSince(village, from),
    planner.look(config),
  ]);
  const read = page?.kind === 'ok' ? page.value : null;
  return { news: read?.news ?? [], nextAfter: read?.next_after ?? null, ...judged, requests: requests.list(), plan };
}

/**
 * Rewards and penalties since the last read, oldest first, and the newest entry. The first read only notes that entry.
 */
async function judgedSince(
  village: Village,
  { standing: { balance }, board }: LookFrom,
): Promise<Pick<BoardSight, 'judged' | 'entry' | 'balance'>> {
  const unchanged = { judged: [], entry: board.entry, balance: board.balance };
  if (balance === null || balance === board.balance) return unchanged;
  const answer = await village.ledger();
  if (answer.kind !== 'ok') return unchanged;
  const since = board.entry ?? Infinity;
  const entries = answer.value
    .filter(({ version, reason }) => version > since && (reason === 'reward' || reason === 'penalty'))
    .toReversed();
  const judged = await Promise.all(
    entries.map(async (entry): Promise<Judged> => ({ entry, post: await postOf(village, entry.related_post_id) })),
  );
  return { judged, entry: answer.value[0]?.version ?? 0, balance };
}

async function postOf(village: Village, postId: string | null): Promise<Judged['post']> {
  const answer = postId === null ? null : await village.post(postId);
  return answer?.kind === 'ok' ? { postId: answer.value.post_id, title: answer.value.title } : null;
}
