import type { syncAgentMemory } from '@hamlet/contract';
import type { ShownChanges } from '@hamlet/store';
import type { RequestOf } from '../http/handler.ts';

type Reported = Pick<RequestOf<typeof syncAgentMemory>['body'], 'copy' | 'held' | 'memories' | 'gone'>;

/** `none`: a request without a report. `gap`: reports before this one are missing, so it cannot be stored. `begins`: a new copy. */
export type ReportPlace = 'none' | 'gap' | (Pick<ShownChanges, 'mark' | 'held'> & { readonly begins: boolean });

/**
 * Where a report belongs in the copy of a memory that has reached `mark`. Reports of an older volume, of another store and after a
 * lost report leave a gap; one that comes twice does not. Pure.
 */
export function reportPlace({ copy, held, memories, gone }: Reported, mark: number | null): ReportPlace {
  if (copy === undefined) {
    const isReport = held !== undefined || memories.length > 0 || gone.length > 0;
    return isReport ? { mark: null, held: held ?? null, begins: false } : 'none';
  }
  const begins = copy.from.length === 0;
  const continues = mark !== null && copy.from.includes(mark);
  return begins || continues ? { mark: copy.to, held: null, begins } : 'gap';
}
