import type { AgentConfig, AgentDetail } from '@hamlet/contract';
import type { BoardMind } from '../brain/board/board-mind.ts';
import type { BoardSight, Judged } from '../brain/board/board-sight.ts';
import type { Village } from '../village/village.ts';
import type { Means } from './means.ts';
import type { Needs } from './needs.ts';
import type { Pen } from './pen.ts';

/** What the agent writes with and about. */
export interface Desk {
  readonly pen: Pen;
  readonly needs: Needs;
  readonly means: Means;
}

export interface LookPorts extends Pick<Desk, 'needs' | 'means'> {
  readonly village: Village;
}

export interface LookFrom {
  readonly standing: Pick<AgentDetail, 'balance'>;
  readonly config: AgentConfig;
  readonly board: BoardMind;
  /** Whether to ask for news: a turn that something else has woken leaves them for the next. */
  readonly withNews: boolean;
}

/** Who judged the agent since it looked last, oldest first, and the newest entry of its account. Nothing is answered that lies before the first look. */
async function judgedSince(
  village: Village,
  { standing, board }: LookFrom,
): Promise<Pick<BoardSight, 'judged' | 'entry' | 'balance'>> {
  const { balance } = standing;
  const unchanged = { judged: [], entry: board.entry, balance: board.balance };
  if (balance === null || balance === board.balance) return unchanged;
  const answer = await village.ledger();
  if (answer.kind !== 'ok') return unchanged;
  const newest = answer.value[0]?.version ?? 0;
  const since = board.entry;
  const entries =
    since === null
      ? []
      : answer.value
          .filter(({ version, reason }) => version > since && (reason === 'reward' || reason === 'penalty'))
          .toReversed();
  const judged = await Promise.all(
    entries.map(async (entry): Promise<Judged> => ({ entry, post: await postOf(village, entry.related_post_id) })),
  );
  return { judged, entry: newest, balance };
}

/** The post that an entry is about; null where it is about none, or one that cannot be seen now. */
async function postOf(village: Village, postId: string | null): Promise<Judged['post']> {
  const answer = postId === null ? null : await village.post(postId);
  return answer?.kind === 'ok' ? { postId: answer.value.post_id, title: answer.value.title } : null;
}

/** What there is to know of the board, the account and the means of the agent. What cannot be asked now is looked at in a later turn. */
export async function lookAtBoard({ village, needs, means }: LookPorts, from: LookFrom): Promise<BoardSight> {
  const { config, board, withNews } = from;
  const [page, judged, plan] = await Promise.all([
    withNews ? village.news(board.after) : null,
    judgedSince(village, from),
    means.look(config),
  ]);
  const read = page?.kind === 'ok' ? page.value : null;
  return { news: read?.news ?? [], nextAfter: read?.next_after ?? null, ...judged, needs: needs.list(), plan };
}
