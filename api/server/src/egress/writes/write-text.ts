import type { CallOutcome, EgressEnd, EgressWrite } from '@hamlet/contract';
import { readArguments, type CallArguments } from '../../permissions/call-arguments.ts';
import { redactSecrets } from '../../permissions/redact-secrets.ts';

/** The text that a person reads before the answer, and that the permission is bound to. The same write has the same text. Pure. */
export function writeArguments({ ask, summary, changes, body, bytes, sha256, call }: EgressWrite): CallArguments {
  const args = readArguments(
    JSON.stringify({
      summary: redactSecrets(summary),
      ...(changes.length === 0 ? {} : { changes }),
      ...(body === null ? {} : { body: redactSecrets(body) }),
      ...(bytes === null ? {} : { bytes }),
      // A body that was not read is bound to the one request that carries it.
      ...(sha256 === null ? { unread_body_of: ask } : { sha256 }),
      ...(call === null ? {} : { call }),
    }),
  );
  if (args === null) throw new TypeError('the arguments of a write are not JSON');
  return args;
}

/** The outcome of a write that its server has answered, or that was cut off: then it is unknown whether it happened. Pure. */
export function writeOutcome({
  status,
  address,
  refused,
}: Pick<EgressEnd, 'status' | 'address' | 'refused'>): CallOutcome {
  if (status !== null && status < 400) return { kind: 'ok', text: `The server answered ${status}.` };
  if (status !== null) return { kind: 'failed', code: 'server_refused', text: `The server answered ${status}.` };
  if (address === null)
    return notSent(refused ?? 'egress_unreachable', 'The server was not reached: nothing was sent.');
  return UNKNOWN;
}

export const UNKNOWN: CallOutcome = {
  kind: 'failed',
  code: 'effect_unknown',
  text: 'It went out, and no answer came: it is unknown whether it happened.',
};

export function notSent(code: string, text: string): CallOutcome {
  return { kind: 'failed', code, text };
}
