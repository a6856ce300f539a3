import type * as Errors from '@a2a-js/sdk/errors';
import { REFUSALS, type Refusal } from '@hamlet/contract';
import type { Refused } from '../http/outcome.ts';

/** Loads the protocol's library at the first card or call; a village without A2A agents never does. */
export async function loadA2a() {
  const [types, errors, server, legacy] = await Promise.all([
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/errors'),
    import('@a2a-js/sdk/server'),
    import('@a2a-js/sdk/compat/v0_3/server'),
  ]);
  return { types, errors, server, legacy };
}

export type A2aLibrary = Awaited<ReturnType<typeof loadA2a>>;

/** JSON-RPC code of a refusal without an error of the protocol. */
const REFUSED_CODE = -32_000;

/** Refusals that mean that the message itself is wrong. */
const MALFORMED: ReadonlySet<Refusal> = new Set<Refusal>([
  'validation_failed',
  'cursor_invalid',
  'idempotency_key_reused',
  'no_such_session',
  'no_such_permission',
  'session_terminated',
]);

/** A refusal of the village as an error of the protocol; its message begins with the village's code. */
export function errorOf(errors: typeof Errors, { reason, detail, retryAfterS }: Refused): Error {
  const wait = retryAfterS === undefined ? '' : ` (after ${retryAfterS} s)`;
  const message = `${reason}: ${detail ?? REFUSALS[reason].title}${wait}`;
  if (reason === 'no_such_run') return new errors.TaskNotFoundError({ message });
  if (reason === 'run_settled') return new errors.TaskNotCancelableError({ message });
  if (MALFORMED.has(reason)) return new errors.RequestMalformedError({ message });
  return new errors.JsonRpcTransportError({ jsonrpc: '2.0', id: null, error: { code: REFUSED_CODE, message } });
}
