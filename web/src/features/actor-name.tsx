import type { LedgerEntry } from '@hamlet/contract';
import { REASONS } from '../client/labels.ts';
import { useActorLabel } from './village-context.ts';

type ActorProps = Readonly<{ id: string; role?: string | null }>;

/** An actor by its name. `role` is the role at the time of the act, if recorded. */
export function ActorName({ id, role = null }: ActorProps) {
  return <>{useActorLabel(id, role)}</>;
}

/** The reason of a ledger entry and its author: `Reward by Mia`. */
export function EntryLabel({ entry: { reason, source } }: { readonly entry: Pick<LedgerEntry, 'reason' | 'source'> }) {
  return (
    <>
      {REASONS[reason]}
      {source !== '' && source !== 'system' && (
        <>
          {' '}
          by <ActorName id={source} />
        </>
      )}
    </>
  );
}
