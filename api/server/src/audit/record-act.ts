import { randomUUID } from 'node:crypto';
import { recordAudit, type AuditEntry, type Db } from '@hamlet/store';

/** The actor of a request, and the ids of the request. */
export interface Acting {
  readonly actor: { readonly role: string; readonly id: string };
  readonly requestId: string;
  readonly traceparent: string | null;
}

/** An act: `area.verb`, its object, and details. */
export interface Act {
  readonly action: string;
  readonly object: string;
  readonly detail: unknown;
}

/** An actor that is not a caller, such as a job, with a new request id. */
export function actingAs(role: 'system' | 'agent' | 'kubernetes', id: string): Acting {
  return { actor: { role, id }, requestId: randomUUID(), traceparent: null };
}

/** Records an act in the audit, in the transaction of the act itself. */
export async function recordAct(tx: Db, acting: Acting, act: Act): Promise<void> {
  await recordAudit(tx, lineOf(acting, act));
}

/** The audit row of an act, for a caller that writes it itself. */
export function lineOf({ actor, requestId, traceparent }: Acting, act: Act): AuditEntry {
  return { auditId: randomUUID(), actorRole: actor.role, actorId: actor.id, ...act, requestId, traceparent };
}
