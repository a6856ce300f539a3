import { type EntitlementSpec, type EntitlementView, getEntitlement, putEntitlement } from '@hamlet/contract';
import { useState } from 'react';
import type { Refused } from '../../../client/api.ts';
import { useSend } from '../../../client/ask/use-send.ts';
import { useVillage } from '../../village-context.ts';
import { bodyOf } from './tier-draft.ts';

/** Writing a tier over what it was when it was read. */
export interface TierSave {
  /** What the tier is, as far as this form knows; null where it is new. */
  readonly base: EntitlementView | null;
  readonly busy: boolean;
  readonly refused: Refused | null;
  save(name: string, spec: EntitlementSpec, conflict: 'refuse' | 'take_over'): Promise<void>;
  /** Reads what somebody else made of it meanwhile. */
  readAnew(): Promise<void>;
  changed(): void;
}

export function useTierSave(tier: EntitlementView | null, onSaved: (name: string) => void): TierSave {
  const { api } = useVillage();
  const sending = useSend();
  const [base, setBase] = useState(tier);
  const save: TierSave['save'] = async (name, spec, conflict) => {
    const ifMatch = base === null || base.etag === null ? {} : { ifMatch: base.etag };
    const reply = await sending.send((idempotencyKey) =>
      api.call(putEntitlement, {
        params: { name },
        query: { on_conflict: conflict },
        body: bodyOf(spec),
        idempotencyKey,
        ...ifMatch,
      }),
    );
    if (reply?.ok === true) onSaved(name);
  };
  const readAnew = async (): Promise<void> => {
    if (base === null) return;
    const reply = await api.call(getEntitlement, { params: { name: base.name } });
    if (reply.ok) {
      setBase(reply.data);
      sending.changed();
    }
  };
  return { base, busy: sending.busy, refused: sending.refused, save, readAnew, changed: sending.changed };
}
