import type { IncomingMessage } from 'node:http';
import { judgeWire, outgoingHeaders, type EgressDenial, type WireRequest, type WireVerdict } from '@hamlet/core/egress';
import { asksForSecret, gitCredentials, NOT_IN_CLEAR, noSecret } from '../secrets/put-secret.ts';
import type { Village } from '../village.ts';
import { pathOf } from './asked.ts';
import type { AttemptFacts, Recorder } from './caller.ts';
import { exchange, type By, type ExchangeParts, type Outgoing } from './exchange.ts';
import { answerProbe, refusePush } from './git-guard.ts';
import { refuseRequest } from './refuse.ts';
import { GONE, guardWrite, type GuardParts } from './write-guard.ts';

export interface ForwardParts extends GuardParts, ExchangeParts {
  readonly recorder: Recorder;
  readonly village: Pick<Village, 'secret' | 'permit' | 'withdraw'>;
}

/** One request of an admitted agent, with the destination of its connection. */
export interface Passage extends Outgoing {
  /** True for a request to git's own endpoint. */
  readonly isOfGit?: boolean;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** The request as it will be sent. */
function wireOf({ request, isOfGit = false }: Passage): WireRequest | EgressDenial {
  const { method = 'GET', url: target = '/' } = request;
  const { expect: _answered, ...received } = request.headers;
  const outgoing = outgoingHeaders(received);
  return 'verdict' in outgoing ? outgoing : { ...outgoing, method, target, hasBody: hasBody(request), isOfGit };
}

type Allowed = Extract<WireVerdict, { verdict: 'allow' }>;

/** The secret to send with a request; null if the rule has none or the program does not request it. */
async function secretOf(
  parts: ForwardParts,
  { caller, destination: { host }, form }: Passage,
  { wire, rule }: { readonly wire: WireRequest; readonly rule: Allowed['rule'] },
): Promise<string | null | EgressDenial> {
  const { secret: name } = rule;
  if (name === undefined || !asksForSecret(wire.headers, rule)) return null;
  if (form === 'plain' && rule.plaintextSecret !== 'Allow') return NOT_IN_CLEAR;
  return parts.village.secret(caller.admission, { name, host }).catch(() => noSecret(name));
}

/** Judges, records and forwards one request, or refuses it. Never rejects. */
export async function forward(parts: ForwardParts, passage: Passage): Promise<void> {
  const { caller, destination, request, response } = passage;
  const refuse = (denial: EgressDenial): void => {
    parts.recorder.refused(caller, factsOf(passage), denial);
    request.resume();
    refuseRequest(response, denial);
  };
  const received = wireOf(passage);
  if ('verdict' in received) return refuse(received);
  const judged = judgeWire(caller.admission.policy, destination, received);
  if (judged.verdict === 'deny') return refuse(judged);
  const { rule, effect } = judged;
  const wire = received.isOfGit ? { ...received, headers: gitCredentials(received.headers, rule) } : received;
  if (effect === 'probe') {
    const denial = await answerProbe(request, response);
    return denial === null ? undefined : refuse(denial);
  }
  const secret = await secretOf(parts, passage, { wire, rule });
  if (secret !== null && typeof secret !== 'string') return refuse(secret);
  const out = await guardWrite(parts, { ...passage, wire, rule, effect });
  if (!('denial' in out)) return send(parts, passage, { wire, rule, secret, out });
  parts.recorder.refused(caller, factsOf(passage), out.denial);
  refusePush(passage, out);
}

/** The record of a request. Pure. */
export function factsOf({
  form,
  destination,
  request,
}: Pick<Passage, 'form' | 'destination'> & {
  readonly request: Pick<IncomingMessage, 'method' | 'url'>;
}): AttemptFacts {
  return { form, destination, method: request.method ?? null, path: pathOf(request.url ?? '/') };
}

/** Records a permitted request, then sends it. */
async function send(parts: ForwardParts, passage: Passage, by: Omit<By, 'attempt'>): Promise<void> {
  const { out } = by;
  const attempt = await parts.recorder.begin(passage.caller, factsOf(passage), out.ask?.ask);
  if ('end' in attempt && !passage.response.destroyed) return exchange(parts, passage, { ...by, attempt });
  out.release();
  if (out.ask !== null) void parts.village.withdraw(out.ask);
  if ('end' in attempt) attempt.end(GONE);
  else refuseRequest(passage.response, attempt);
}
