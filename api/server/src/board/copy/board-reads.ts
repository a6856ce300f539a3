import type { CopyNote } from '@hamlet/contract';
import type { BoardCopy } from '@hamlet/core';
import { refused } from '../../http/outcome.ts';
import type { Outcome } from '../../http/outcome.ts';
import { within } from '../../service/within.ts';
import { PATIENCE_MS, saysAway } from './copy-keeper.ts';
import type { CopyKeeper } from './copy-keeper.ts';

/** Something that is read of the board, in both ways. */
export interface BoardQuestion<T> {
  /** The clock on the wall. */
  readonly now: Date;
  /** Asks the database, where row-level security decides who sees what. */
  live(): Promise<Outcome<T>>;
  /** Asks a copy, where `maySeePost` and `maySeeReply` decide; null where the copy cannot tell. It is not older than the event of that offset. */
  copied(copy: BoardCopy, offset: number): T | null;
  /** What to say where neither can. */
  readonly lacking: string;
}

/** Reads the board from the database, and while that is away from this replica's copy. */
export type ReadBoard = <T extends { readonly copy?: CopyNote | undefined }>(
  question: BoardQuestion<T>,
) => Promise<Outcome<T>>;

const SECOND_MS = 1_000;

/** An answer from a copy, which says that it is one and how old. Pure. */
function fromCopy<T extends object>(data: T, ageMs: number, now: Date): Outcome<T> {
  const age = Math.ceil(ageMs / SECOND_MS);
  const copy: CopyNote = { as_of: new Date(now.getTime() - ageMs).toISOString(), age_s: age };
  return { ok: true, data: { ...data, copy }, headers: { age: String(age) } };
}

export function createReadBoard(
  keeper: Pick<CopyKeeper, 'away' | 'copy' | 'offset' | 'ageMs' | 'noteAway'>,
): ReadBoard {
  return async ({ now, live, copied, lacking }) => {
    if (!keeper.away || keeper.copy === null) {
      try {
        return await within(PATIENCE_MS, live());
      } catch (error) {
        if (!saysAway(error)) throw error;
        keeper.noteAway();
      }
    }
    const data = keeper.copy === null ? null : copied(keeper.copy, keeper.offset);
    return data === null ? refused('unavailable', lacking) : fromCopy(data, keeper.ageMs, now);
  };
}
