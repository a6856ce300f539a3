import { randomUUID } from 'node:crypto';
import { recordAudit } from '@hamlet/store';
import type { Db } from '@hamlet/store';

/** Who acts, in which request. */
export interface Acting {
  readonly actor: { readonly role: string; readonly id: string };
  readonly requestId: string;
  readonly traceparent: string | null;
}

/** Writes the line of an act to the audit, in the transaction of the act. */
export async function recordAct(tx: Db, { actor, requestId, traceparent }: Acting, act: { readonly action: string; readonly object: string; readonly detail: unknown }): Promise<void> {
  await recordAudit(tx, { auditId: randomUUID(), actorRole: actor.role, actorId: actor.id, ...act, requestId, traceparent });
}
