import type { Effect } from '../journal/event.ts';

/** Maximum number of attempts of one call: each attempt may end the process. */
const MAX_CALL_ATTEMPTS = 5;

/** `ask` asks a person, `give_up` settles the call as failed. */
export type Recovery = 'run' | 'verify' | 'ask' | 'give_up';

/** The way to settle a call whose last attempt has an unknown end. */
export function planRecovery(call: Readonly<{ effect: Effect; attempt: number }>, volumeLost: boolean): Recovery {
  const hasAttempts = call.attempt < MAX_CALL_ATTEMPTS;
  switch (call.effect) {
    case 'read':
    case 'idempotent':
      return hasAttempts ? 'run' : 'give_up';
    case 'keyed':
      return hasAttempts ? 'run' : 'ask';
    case 'verify':
      return volumeLost || !hasAttempts ? 'ask' : 'verify';
    case 'once':
      return 'ask';
    default:
      return call.effect satisfies never;
  }
}
