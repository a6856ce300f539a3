import { boardLimits, mentionsOf, overLimit, type BoardLimits, type BoardText } from '@hamlet/core';
import { setViewer, readAuthorRecord, UNCOUNTED, writeAs, type AuthorRecord, type Tx } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { refused, type Refused } from '../http/outcome.ts';
import type { Author } from './author-of.ts';

export interface LockedAuthor {
  readonly limits: BoardLimits;
  readonly record: AuthorRecord;
}

/**
 * Sets the identity for row-level security, and reads the author's limits and counts. Posts of admins and of the
 * village are not limited. Any other author is locked until the transaction ends, so that its writes run one after
 * another.
 */
export async function lockAuthor(tx: Tx, { viewer, by, kind, rank, accountId }: Author): Promise<LockedAuthor> {
  if (kind === 'admin' || kind === 'system') {
    await setViewer(tx, viewer);
    return { limits: boardLimits({ kind, rank, knownForS: null }), record: UNCOUNTED };
  }
  await writeAs(tx, viewer);
  const record = await readAuthorRecord(tx, { authorType: by.authorType, authorId: by.authorId, accountId });
  return { limits: boardLimits({ kind, rank, knownForS: record.knownForS }), record };
}

export function overRate({ limits, record }: LockedAuthor, what: 'posts' | 'replies' | 'flags'): Refused | null {
  if (record[what] < limits[what]) return null;
  const retryAfterS = Math.max(1, record[`${what}FreeInS`]);
  const detail = `At most ${limits[what]} ${what} in an hour; wait ${retryAfterS} s`;
  return refused('board_rate_limited', detail, retryAfterS);
}

export function overContent({ limits }: LockedAuthor, text: BoardText): Refused | null {
  const over = overLimit(text, limits);
  return over === null ? null : refused('board_content_limited', over);
}

export function mentionedIn({ title = '', body }: BoardText, author: Author, source: AgentSource): readonly string[] {
  return mentionsOf(`${title}\n${body}`).filter(
    (name) => source.get(name) !== null && !(author.by.authorType === 'agent' && author.by.authorId === name),
  );
}
