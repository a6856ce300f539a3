import { randomUUID } from 'node:crypto';
import { recordAudit } from '@hamlet/store';
import type { AuditEntry, Db } from '@hamlet/store';

/** The actor of a request, and the request. */
export interface Acting {
  readonly actor: { readonly role: string; readonly id: string };
  readonly requestId: string;
  readonly traceparent: string | null;
}

/** `area.verb`, its object, and details. */
export interface Act {
  readonly action: string;
  readonly object: string;
  readonly detail: unknown;
}

/** Records an act in the audit, in the transaction of the act. */
export async function recordAct(tx: Db, acting: Acting, act: Act): Promise<void> {
  await recordAudit(tx, lineOf(acting, act));
}

/** The audit line of an act, for a caller with a transaction of its own. */
export function lineOf({ actor, requestId, traceparent }: Acting, act: Act): AuditEntry {
  return { auditId: randomUUID(), actorRole: actor.role, actorId: actor.id, ...act, requestId, traceparent };
}
