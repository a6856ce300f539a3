import { randomUUID } from 'node:crypto';
import type { KeyScope } from '@hamlet/contract';
import type { LinkedPerson } from '@hamlet/store';
import { accountObject, refusalOfBan } from '../auth/account-actor.ts';
import type { Caller } from '../http/handler.ts';
import { accepted, type Outcome } from '../http/outcome.ts';
import { continueTrace } from '../http/trace.ts';

/** The person behind a message, limited like an API key with these scopes; refused while the person is banned. */
export function callerOfPerson(
  { accountId, role, name, identityId, ban }: LinkedPerson,
  scopes: readonly KeyScope[] = ['work'],
): Outcome<Caller> {
  if (ban !== null) return refusalOfBan(ban);
  const key = { keyId: identityId, scopes };
  const actor = { role, id: accountObject(accountId), accountId, name, key };
  return accepted({ actor, requestId: randomUUID(), traceparent: continueTrace(undefined) });
}
