import type { CallOutcome, EgressEnd, EgressWrite } from '@hamlet/contract';
import { readArguments, type CallArguments } from '../../permissions/call-arguments.ts';

/**
 * The text that a person reads before the answer, and to which the permission is bound. It is exactly what leaves: a
 * text that only looks like a secret could hide what the server acts on, and the broker puts the secret of a rule in
 * later. Equal writes have equal texts. Pure.
 */
export function writeArguments({
  ask,
  summary,
  changes,
  details,
  body,
  bytes,
  sha256,
  call,
}: EgressWrite): CallArguments {
  const args = readArguments(
    JSON.stringify({
      summary,
      ...(changes.length === 0 ? {} : { changes }),
      ...(details.length === 0 ? {} : { details }),
      ...(body === null ? {} : { body }),
      ...(bytes === null ? {} : { bytes }),
      // A permission for an unread body is valid only for the request that carries it.
      ...(sha256 === null ? { unread_body_of: ask } : { sha256 }),
      ...(call === null ? {} : { call }),
    }),
  );
  if (args === null) throw new TypeError('a bug: the arguments of a write could not be serialized as JSON');
  return args;
}

/** The outcome of a write. If the connection broke before an answer, it is unknown whether the write happened. Pure. */
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
  text: 'It was sent, and no answer came: it is unknown whether it happened.',
};

export const notSent = (code: string, text: string): CallOutcome => ({ kind: 'failed', code, text });
