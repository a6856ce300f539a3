import { randomUUID } from 'node:crypto';
import { recordAudit } from '@hamlet/store';
import type { AuditEntry, Db } from '@hamlet/store';

/** The actor and the request of an act. */
export interface Acting {
  readonly actor: { readonly role: string; readonly id: string };
  readonly requestId: string;
  readonly traceparent: string | null;
}

/** `area.verb`, the object that it was done to, and its details. */
export interface Act {
  readonly action: string;
  readonly object: string;
  readonly detail: unknown;
}

/** Writes the line of an act to the audit, in the transaction of the act. */
export async function recordAct(tx: Db, acting: Acting, act: Act): Promise<void> {
  await recordAudit(tx, lineOf(acting, act));
}

/** The line of an act, for who writes it in a transaction of their own. */
export function lineOf({ actor, requestId, traceparent }: Acting, act: Act): AuditEntry {
  return { auditId: randomUUID(), actorRole: actor.role, actorId: actor.id, ...act, requestId, traceparent };
}
