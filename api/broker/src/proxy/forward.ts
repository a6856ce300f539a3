import type { IncomingMessage } from 'node:http';
import type { EgressRule } from '@hamlet/contract';
import { placeholderOf } from '@hamlet/contract/broker';
import { deny, judgeRequest, type EgressDenial, type EgressRequest } from '@hamlet/core/egress';
import type { Village } from '../village.ts';
import { pathOf } from './asked.ts';
import type { AttemptFacts, Recorder } from './caller.ts';
import { exchange, type ExchangeParts, type Outgoing, type Secret } from './exchange.ts';
import { refusePush } from './push-guard.ts';
import { refuseRequest } from './refuse.ts';
import { GONE, guardWrite, type GuardParts, type LetOut } from './write-guard.ts';

export interface ForwardParts extends GuardParts, ExchangeParts {
  readonly recorder: Recorder;
  readonly village: Pick<Village, 'secret' | 'permit' | 'withdraw'>;
}

/** One request of an admitted agent, whose destination the connection has fixed. */
export interface Passage extends Outgoing {
  /** The request that the rules judge, for a protocol that uses method and target in its own way. */
  readonly asks?: EgressRequest;
}

function judged({ caller, destination, request, asks }: Passage): EgressRule | EgressDenial {
  const { method = 'GET', url = '/' } = request;
  const verdict = judgeRequest(caller.admission.policy, destination, asks ?? { method, target: url });
  return verdict.verdict === 'deny' ? verdict : verdict.rule;
}

async function secretOf(
  parts: ForwardParts,
  { caller }: Passage,
  rule: EgressRule,
): Promise<Secret | null | EgressDenial> {
  if (rule.secret === undefined) return null;
  const value = await parts.village.secret(caller.admission, rule.secret).catch(() => null);
  if (value === null)
    return deny('egress_not_allowed', `the secret ${rule.secret} of this way out is not there; ask an admin to add it`);
  return { value, placeholder: placeholderOf(rule.secret) };
}

/** Judges, records and forwards one request, or refuses it. Never rejects. */
export async function forward(parts: ForwardParts, passage: Passage): Promise<void> {
  const { caller, request, response } = passage;
  const refuse = (denial: EgressDenial): void => {
    parts.recorder.refused(caller, factsOf(passage), denial);
    request.resume();
    refuseRequest(response, denial);
  };
  const rule = judged(passage);
  if ('verdict' in rule) return refuse(rule);
  const secret = await secretOf(parts, passage, rule);
  if (secret !== null && 'verdict' in secret) return refuse(secret);
  const out = await guardWrite(parts, passage, rule);
  if (!('denial' in out)) return send(parts, passage, { rule, secret, out });
  parts.recorder.refused(caller, factsOf(passage), out.denial);
  refusePush(passage, out);
}

/** The facts for the record. Pure. */
export function factsOf({
  form,
  destination,
  request,
}: Pick<Passage, 'form' | 'destination'> & {
  readonly request: Pick<IncomingMessage, 'method' | 'url'>;
}): AttemptFacts {
  return { form, destination, method: request.method ?? null, path: pathOf(request.url ?? '/') };
}

/** Records a request that may go out, and lets it out. */
async function send(
  parts: ForwardParts,
  passage: Passage,
  by: { readonly rule: EgressRule; readonly secret: Secret | null; readonly out: LetOut },
): Promise<void> {
  const { out } = by;
  const attempt = await parts.recorder.begin(passage.caller, factsOf(passage), out.ask?.ask);
  if ('end' in attempt && !passage.response.destroyed) return exchange(parts, passage, { ...by, attempt });
  out.release();
  if (out.ask !== null) void parts.village.withdraw(out.ask);
  if ('end' in attempt) attempt.end(GONE);
  else refuseRequest(passage.response, attempt);
}
