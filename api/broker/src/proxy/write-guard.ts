import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EgressRule, EgressWriteKind } from '@hamlet/contract';
import { EGRESS_EXCERPT_MAX_CHARS, EGRESS_SUMMARY_MAX_CHARS } from '@hamlet/contract/broker';
import type { Destination, EgressDenial, WireEffect, WireRequest } from '@hamlet/core/egress';
import { deny } from '@hamlet/core/egress';
import { compareText } from '@hamlet/core/compare-text';
import { describeCommand, type Push } from '../git/push-commands.ts';
import { PushProgress } from '../git/push-report.ts';
import type { PermissionAsk, Village } from '../village.ts';
import type { Caller } from './caller.ts';
import { authorityOf } from './destination.ts';
import { judgeFetch, judgeRefs, LONG_FETCH, readPush, repositoryIn, type RefusedPush } from './git-guard.ts';
import type { Body, HeldBodies } from './held-bodies.ts';
import { keepEnds, visible } from './shown-text.ts';

export interface GuardedRequest {
  readonly caller: Caller;
  readonly destination: Destination;
  readonly form: 'inspect' | 'plain';
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A request that the rules allow, if its effect is permitted. */
export interface JudgedRequest extends GuardedRequest {
  readonly wire: WireRequest;
  readonly rule: EgressRule;
  readonly effect: Exclude<WireEffect, 'probe'>;
  /** True if the secret of the rule goes out with the request. */
  readonly isSecret: boolean;
}

export interface GuardParts {
  readonly village: Pick<Village, 'permit' | 'withdraw'>;
  readonly bodies: HeldBodies;
  readonly fetches: HeldBodies;
}

/** A request that may go out. `ask` is the permitted write; null for a read and a fetch. */
export interface LetOut {
  readonly ask: PermissionAsk | null;
  /** The body if the broker has read it; else it is still in the request. */
  readonly body: Buffer | null;
  readonly push: Push | null;
  /** True for a fetch of proposals, which strangers may make. */
  readonly isOfProposals?: boolean;
  release(): void;
}

const FREE: LetOut = { ask: null, body: null, push: null, release: () => undefined };
export const GONE = deny('egress_write_withdrawn', 'the program did not wait for the permission');
const CUT = deny('egress_bad_request', 'the request ended before its body was complete; send it again');
const UNASKED = deny('egress_log_unavailable', 'the broker cannot ask the API for a permission; try again in a minute');

/** Headers that differ between repetitions of one request, and that no server acts on. */
const IDLE_HEADERS = new Set(['content-length', 'date', 'traceparent']);
/** Common headers that are not shown to a person: the host is in the address, and credentials must stay hidden. */
const USUAL_HEADERS = new Set([
  ...IDLE_HEADERS,
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'git-protocol',
  'host',
  'user-agent',
]);
/** Unusual headers that a person can be expected to read. */
const DETAILS_MAX = 50;
const TOO_MUCH_TO_READ = deny(
  'egress_request_unclear',
  `this write has more than ${DETAILS_MAX} unusual headers, which no person would read; send fewer`,
);
/** Types of bodies that a person reads as they are. */
const USUAL_TYPE =
  /^(application\/(json|x-www-form-urlencoded|x-git-receive-pack-request)|text\/plain)(; ?charset=utf-8)?$/i;
const HEADER_MAX_CHARS = 300;

/**
 * Permits a read at once. For a write, reads its push or body and waits until the API permits it, after a person's
 * decision if the rules require one. Never rejects.
 */
export async function guardWrite(parts: GuardParts, judged: JudgedRequest): Promise<LetOut | RefusedPush> {
  const { effect } = judged;
  if (effect !== 'read' && effect !== 'fetch' && detailsOf(judged).length > DETAILS_MAX)
    return { denial: TOO_MUCH_TO_READ, push: null };
  switch (effect) {
    case 'read':
      return FREE;
    case 'fetch':
      return guardFetch(parts, judged);
    case 'push':
      return guardPush(parts, judged);
    default:
      return guardBody(parts, judged, effect);
  }
}

/** Reads all of a fetch, because it leaves without a question and with the secret of its rule. */
async function guardFetch(parts: GuardParts, { caller, request, wire }: JudgedRequest): Promise<LetOut | RefusedPush> {
  const body = await parts.fetches.read(caller.admission.uid, request);
  if (body.kind !== 'whole') return { denial: body.kind === 'cut' ? CUT : LONG_FETCH, push: null };
  const { bytes, release } = body;
  const fetch = judgeFetch(bytes, wire);
  if ('isOfProposals' in fetch) return { ...FREE, body: bytes, isOfProposals: fetch.isOfProposals, release };
  release();
  return { denial: fetch, push: null };
}

async function guardPush(parts: GuardParts, judged: JudgedRequest): Promise<LetOut | RefusedPush> {
  const { caller, destination, request, response, rule, wire } = judged;
  const push = await readPush(request, rule);
  if ('denial' in push) return push;
  const elsewhere = judgeRefs(caller.admission.agent, push.commands);
  if (elsewhere !== null && caller.identity.run === null) return { denial: elsewhere, push };
  const changes = push.commands.map(describeCommand);
  const ask: PermissionAsk = {
    ...askedBy(judged, elsewhere === null ? 'push' : 'push_elsewhere'),
    summary: keepEnds(
      `push to ${destination.host}${repositoryIn(wire.target)}: ${changes.join('; ')}`,
      EGRESS_SUMMARY_MAX_CHARS,
    ),
    changes,
    details: [...push.options.map((option) => `push option ${visible(option)}`), ...detailsOf(judged)],
    body: null,
    bytes: null,
    sha256: hashOf(judged, [push.commands, push.capabilities, push.options]),
  };
  const progress = new PushProgress(response, push.capabilities, elsewhere === null ? 'a person' : 'an admin');
  const denial = await permission(parts.village, response, ask).finally(() => progress.stop());
  if (denial === null) return { ...FREE, ask, push };
  return { denial: elsewhere === null ? denial : withAdvice(denial, elsewhere), push };
}

/** Says where the agent may push without an admin. */
const withAdvice = (denial: EgressDenial, { message }: EgressDenial): EgressDenial =>
  deny(denial.code, `${denial.message}; ${message}`);

async function guardBody(
  parts: GuardParts,
  judged: JudgedRequest,
  kind: EgressWriteKind,
): Promise<LetOut | RefusedPush> {
  const { caller, request, response } = judged;
  const body = await parts.bodies.read(caller.admission.uid, request);
  if (body.kind === 'cut') return { denial: CUT, push: null };
  const release = body.kind === 'whole' ? body.release : FREE.release;
  const ask: PermissionAsk = { ...askedBy(judged, kind), ...shownRequest(judged, body), changes: [] };
  const denial = await permission(parts.village, response, ask);
  if (denial === null) return { ask, body: body.kind === 'whole' ? body.bytes : null, push: null, release };
  release();
  return { denial, push: null };
}

type Asked = Pick<PermissionAsk, 'kind' | 'isAllowedByRule' | 'ask' | 'admission' | 'run' | 'call'>;

const askedBy = ({ caller: { admission, identity }, rule }: JudgedRequest, kind: EgressWriteKind): Asked => ({
  kind,
  isAllowedByRule: rule.writes === 'Allow',
  ask: randomUUID(),
  admission,
  run: identity.run,
  call: identity.call,
});

function shownRequest(
  judged: JudgedRequest,
  body: Body,
): Pick<PermissionAsk, 'summary' | 'details' | 'body' | 'bytes' | 'sha256'> {
  const { method, target, headers } = judged.wire;
  const shown = {
    summary: keepEnds(`${method} ${originOf(judged)}${target}`, EGRESS_SUMMARY_MAX_CHARS),
    details: detailsOf(judged),
  };
  if (body.kind === 'whole')
    return {
      ...shown,
      body: excerptOf(body.bytes),
      bytes: body.bytes.length,
      sha256: hashOf(judged, hashOfBytes(body.bytes)),
    };
  const length = headers['content-length'];
  return { ...shown, body: null, bytes: length === undefined ? null : Number(length), sha256: null };
}

function originOf({ destination, form }: GuardedRequest): string {
  const scheme = form === 'plain' ? 'http' : 'https';
  return `${scheme}://${authorityOf(destination, scheme)}`;
}

/** Describes for a person the secret that is sent, and the headers on which a server may act. */
function detailsOf(judged: Pick<JudgedRequest, 'wire' | 'rule' | 'isSecret'>): readonly string[] {
  const { wire, rule, isSecret } = judged;
  const unusual = Object.entries(wire.headers)
    .filter(([name, value]) => !USUAL_HEADERS.has(name) && !(name === 'content-type' && USUAL_TYPE.test(String(value))))
    .map(([name, value]) => keepEnds(`${name}: ${visible(String(value))}`, HEADER_MAX_CHARS));
  return [...(isSecret ? [`with the secret ${rule.secret ?? ''}`] : []), ...ownCredentials(judged), ...unusual];
}

/** Mentions credentials that the program sends itself, without their value. */
function ownCredentials({
  wire,
  rule,
  isSecret,
}: Pick<JudgedRequest, 'wire' | 'rule' | 'isSecret'>): readonly string[] {
  const { authorization } = wire.headers;
  if (authorization === undefined || (isSecret && rule.secretHeader === undefined)) return [];
  const [, scheme = 'no scheme'] = /^([A-Za-z][A-Za-z0-9-]{0,30}) /.exec(String(authorization)) ?? [];
  return [`with the program's own authorization (${scheme}, ${String(authorization).length} characters)`];
}

/** The start and end of a text; null for binary bytes and for an empty body. */
function excerptOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  if (text === '' || text.includes('\uFFFD')) return null;
  return keepEnds(visible(text), EGRESS_EXCERPT_MAX_CHARS);
}

const hashOfBytes = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** The hash of everything that the server acts on: method, target, headers and content. */
function hashOf({ destination, form, wire: { method, target, headers } }: JudgedRequest, content: unknown): string {
  const acting = Object.entries(headers)
    .filter(([name]) => !IDLE_HEADERS.has(name))
    .toSorted(([a], [b]) => compareText(a, b));
  return hashOfBytes(JSON.stringify([form, destination, method, target, acting, content]));
}

/** Waits for the decision; null if the write may go out. A program that hangs up ends the wait. */
async function permission(
  village: GuardParts['village'],
  response: ServerResponse,
  ask: PermissionAsk,
): Promise<EgressDenial | null> {
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  response.once('close', stop);
  if (response.destroyed) stop();
  try {
    const answer = await village.permit(ask, gone.signal);
    if (answer !== 'allowed') return answer;
    if (!response.destroyed) return null;
    void village.withdraw(ask);
    return GONE;
  } catch {
    return gone.signal.aborted ? GONE : UNASKED;
  } finally {
    response.off('close', stop);
  }
}
