import type { syncAgentMemory } from '@hamlet/contract';
import type { ShownChanges } from '@hamlet/store';
import type { RequestOf } from '../http/handler.ts';

type Reported = Pick<RequestOf<typeof syncAgentMemory>['body'], 'copy' | 'held' | 'memories' | 'gone'>;

/** `none`: the request reports no memories. `gap`: reports before this one are missing, so that it cannot be stored. */
export type ReportPlace = 'none' | 'gap' | Pick<ShownChanges, 'mark' | 'held'>;

/**
 * Where a report belongs in the copy of a memory that has reached `mark`. Reports of an older volume, of another store and after a
 * lost report leave a gap; one that comes twice does not. Pure.
 */
export function reportPlace({ copy, held, memories, gone }: Reported, mark: number | null): ReportPlace {
  if (copy === undefined) {
    const isReport = held !== undefined || memories.length > 0 || gone.length > 0;
    return isReport ? { mark: null, held: held ?? null } : 'none';
  }
  if (copy.from.length === 0) return { mark: copy.to, held: [] };
  return mark !== null && copy.from.includes(mark) ? { mark: copy.to, held: null } : 'gap';
}
