import type { IncomingMessage } from 'node:http';
import type { EgressRule } from '@hamlet/contract';
import {
  judgeConnection,
  judgeWire,
  outgoingHeaders,
  type EgressDenial,
  type WireRequest,
  type WireVerdict,
} from '@hamlet/core/egress';
import { asksForSecret, gitCredentials, NOT_IN_CLEAR, noSecret } from '../secrets/put-secret.ts';
import type { Village } from '../village.ts';
import { pathOf } from './asked.ts';
import type { AttemptFacts, Recorder } from './caller.ts';
import { exchange, type By, type ExchangeParts, type Outgoing } from './exchange.ts';
import { hasBody } from './held-bodies.ts';
import { answerProbe, refusePush, type RefusedPush } from './git-guard.ts';
import { askForHost } from './host-guard.ts';
import { refuseRequest } from './refuse.ts';
import { GONE, guardWrite, type GuardParts, type JudgedRequest, type LetOut } from './write-guard.ts';

export interface ForwardParts extends GuardParts, ExchangeParts {
  readonly recorder: Recorder;
  readonly village: Pick<Village, 'secret' | 'permit' | 'permitHost' | 'withdraw'>;
}

/** One request of an admitted agent, with the destination of its connection. */
export interface Passage extends Outgoing {
  /** True for a request to git's own endpoint. */
  readonly isOfGit?: boolean;
}

function wireOf({ request, isOfGit = false }: Passage): WireRequest | EgressDenial {
  const { method = 'GET', url: target = '/' } = request;
  const { expect: _answered, ...received } = request.headers;
  const outgoing = outgoingHeaders(received);
  return 'verdict' in outgoing ? outgoing : { ...outgoing, method, target, hasBody: hasBody(request), isOfGit };
}

/** True if the secret of the rule goes out with a request; a denial if the program asks for it without TLS. */
function needsSecret({ form }: Passage, { headers }: WireRequest, rule: EgressRule): boolean | EgressDenial {
  if (!asksForSecret(headers, rule)) return false;
  return form === 'plain' && rule.plaintextSecret !== 'Allow' ? NOT_IN_CLEAR : true;
}

/** Read after a person has decided, which may take minutes in which the owner can revoke the secret. */
function readSecret({ village }: ForwardParts, { caller, destination }: Passage, { secret: name = '' }: EgressRule) {
  return village.secret(caller.admission, { name, host: destination.host }).catch(() => noSecret(name));
}

/** Judges, records and forwards one request, or refuses it. Never rejects. */
export async function forward(parts: ForwardParts, passage: Passage): Promise<void> {
  const { caller, request, response } = passage;
  const refuse = (denial: EgressDenial): void => {
    parts.recorder.refused(caller, factsOf(passage), denial);
    request.resume();
    refuseRequest(response, denial);
  };
  const received = wireOf(passage);
  if ('verdict' in received) return refuse(received);
  const judged = await judgeRequest(parts, passage, received);
  if (judged.verdict === 'deny') return refuse(judged);
  const { rule, effect } = judged;
  const wire = received.isOfGit ? { ...received, headers: gitCredentials(received.headers, rule) } : received;
  if (effect === 'probe') {
    const denial = await answerProbe(request, response);
    return denial === null ? undefined : refuse(denial);
  }
  const isSecret = needsSecret(passage, wire, rule);
  if (typeof isSecret !== 'boolean') return refuse(isSecret);
  return letOut(parts, passage, { wire, rule, effect, isSecret });
}

/** Judges a request by the agent's rules, and asks an admin to open its host if they do not. */
async function judgeRequest(
  { village }: ForwardParts,
  { caller, destination, request, response }: Passage,
  wire: WireRequest,
): Promise<WireVerdict> {
  const judged = judgeWire(caller.admission.policy, destination, wire);
  // A rule that opens parts of a host is an admin's word about it: the card would say that no rule opens the host.
  if (judged.verdict === 'allow' || judgeConnection(caller.admission.policy, destination).verdict !== 'deny')
    return judged;
  const summary = `${request.method ?? 'GET'} ${destination.host}:${destination.port}${wire.target}`;
  const opened = await askForHost(village, { caller, destination, summary, closes: response }, judged);
  return 'verdict' in opened ? opened : judgeWire(opened, destination, wire);
}

/** Asks people about a write, then sends the request, with its secret if it has one. */
async function letOut(
  parts: ForwardParts,
  passage: Passage,
  judged: Pick<JudgedRequest, 'wire' | 'rule' | 'effect' | 'isSecret'>,
): Promise<void> {
  const { wire, rule, isSecret } = judged;
  const out = await guardWrite(parts, { ...passage, ...judged });
  if ('denial' in out) return refuseWrite(parts, passage, out);
  const secret = isSecret ? await readSecret(parts, passage, rule) : null;
  if (secret === null || typeof secret === 'string') return send(parts, passage, { wire, rule, secret, out });
  drop(parts, out);
  refuseWrite(parts, passage, { denial: secret, push: out.push });
}

/** Ends a permitted request that is not sent. */
function drop({ village }: ForwardParts, out: LetOut): void {
  out.release();
  if (out.ask !== null) void village.withdraw(out.ask);
}

function refuseWrite({ recorder }: ForwardParts, passage: Passage, refused: RefusedPush): void {
  recorder.refused(passage.caller, factsOf(passage), refused.denial);
  refusePush(passage, refused);
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
  const facts = { ...factsOf(passage), isOfProposals: out.isOfProposals };
  const attempt = await parts.recorder.begin(passage.caller, facts, out.ask?.ask);
  if ('end' in attempt && !passage.response.destroyed) return exchange(parts, passage, { ...by, attempt });
  drop(parts, out);
  if ('end' in attempt) attempt.end(GONE);
  else refuseRequest(passage.response, attempt);
}
