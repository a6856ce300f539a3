import { boardLimits, mentionsOf, overLimit } from '@hamlet/core';
import type { BoardLimits, BoardText } from '@hamlet/core';
import { setViewer, readAuthorRecord, UNCOUNTED, writeAs } from '@hamlet/store';
import type { AuthorRecord, Tx } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';
import type { Author } from './author-of.ts';

/** An author who is about to write, with the author's lock held. */
export interface Desk {
  readonly limits: BoardLimits;
  readonly record: AuthorRecord;
}

/** Sits an author down: from here on the transaction looks with their eyes, and nobody else writes as them. */
export async function sitDown(tx: Tx, { viewer, by, kind, rank, accountId }: Author): Promise<Desk> {
  if (kind === 'admin' || kind === 'system') {
    await setViewer(tx, viewer);
    return { limits: boardLimits({ kind, rank, knownForS: null }), record: UNCOUNTED };
  }
  await writeAs(tx, viewer);
  const record = await readAuthorRecord(tx, { authorType: by.authorType, authorId: by.authorId, accountId });
  return { limits: boardLimits({ kind, rank, knownForS: record.knownForS }), record };
}

/** A refusal where the hour is full; says when there is room again. Pure. */
export function overRate({ limits, record }: Desk, what: 'posts' | 'replies' | 'flags'): Refused | null {
  if (record[what] < limits[what]) return null;
  const retryAfterS = Math.max(1, record[`${what}FreeInS`]);
  return {
    ...refused('board_rate_limited', `At most ${limits[what]} ${what} in an hour; wait ${retryAfterS} s`),
    retryAfterS,
  };
}

/** A refusal where a text has more in it than its author may write. Pure. */
export function overContent({ limits }: Desk, text: BoardText): Refused | null {
  const over = overLimit(text, limits);
  return over === null ? null : refused('board_content_limited', over);
}

/** The agents that a text names with an @, without its author. */
export function mentionedIn({ title = '', body }: BoardText, author: Author, source: AgentSource): readonly string[] {
  return mentionsOf(`${title}\n${body}`).filter(
    (name) => source.get(name) !== null && !(author.by.authorType === 'agent' && author.by.authorId === name),
  );
}
