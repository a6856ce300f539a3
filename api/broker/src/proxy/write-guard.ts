import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EgressRule } from '@hamlet/contract';
import { EGRESS_EXCERPT_MAX_CHARS, EGRESS_SUMMARY_MAX_CHARS } from '@hamlet/contract/broker';
import {
  deny,
  METHOD_OVERRIDES,
  writeKindOf,
  type Destination,
  type EgressDenial,
  type EgressRequest,
} from '@hamlet/core/egress';
import { PushProgress } from '../git/push-report.ts';
import type { PermissionAsk, Village } from '../village.ts';
import type { Body, HeldBodies } from './held-bodies.ts';
import type { Caller } from './caller.ts';
import { endToEnd } from './headers.ts';
import { mayBePush, readPush, type Push } from './push-guard.ts';

export interface GuardedRequest {
  readonly caller: Caller;
  readonly destination: Destination;
  readonly form: 'inspect' | 'plain';
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly asks?: EgressRequest;
}

export interface GuardParts {
  readonly village: Pick<Village, 'permit' | 'withdraw'>;
  readonly bodies: HeldBodies;
}

/** A request that may go out. `ask` is the permitted write; null for a request that only reads. */
export interface LetOut {
  readonly ask: PermissionAsk | null;
  /** The body if the broker has read it; else it is still in the request. */
  readonly body: Buffer | null;
  readonly push: Push | null;
  release(): void;
}

/** A request that must not go out, with its push if it is one. */
export interface Refused {
  readonly denial: EgressDenial;
  readonly push: Push | null;
}

const FREE: LetOut = { ask: null, body: null, push: null, release: () => undefined };
export const GONE = deny('egress_write_withdrawn', 'the program did not wait for the permission');
const CUT = deny('egress_bad_request', 'the request ends within its body');
const UNASKED = deny('egress_log_unavailable', 'the broker cannot ask the API for a permission; try again in a minute');

/** Headers that do not change what the server does. */
const IDLE_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-length',
  'date',
  'expect',
  'traceparent',
  'user-agent',
]);

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split(/[?#]/, 1)[0] ?? '/';
}

/** The kind of a write; null for a request that only reads, such as a fetch of git through its endpoint. */
function kindOf({ caller, destination, request, asks }: GuardedRequest): PermissionAsk['kind'] | null {
  const isPush = mayBePush(request);
  if (!isPush && asks !== undefined && asks.method === 'GET') return null;
  const overrides = METHOD_OVERRIDES.flatMap((name) => request.headers[name] ?? []);
  const { method = 'GET' } = request;
  return writeKindOf({ destination, method, path: pathOf(request), overrides, isPush }, caller.admission.policy);
}

/**
 * Lets a request out that only reads. For a write, the broker reads its push or body and waits until the API permits it,
 * after a person's decision if one is needed. Never rejects.
 */
export async function guardWrite(
  parts: GuardParts,
  guarded: GuardedRequest,
  rule: EgressRule,
): Promise<LetOut | Refused> {
  const kind = kindOf(guarded);
  if (kind === null) return FREE;
  const isAllowedByRule = rule.writes === 'Allow';
  return kind === 'push'
    ? guardPush(parts, guarded, { kind, isAllowedByRule })
    : guardBody(parts, guarded, { kind, isAllowedByRule });
}

type Judged = Pick<PermissionAsk, 'kind' | 'isAllowedByRule'>;

async function guardPush(parts: GuardParts, guarded: GuardedRequest, judged: Judged): Promise<LetOut | Refused> {
  const { caller, destination, request, response } = guarded;
  const read = await readPush(guarded);
  if ('denial' in read) return read;
  // git sends an empty request before a large one.
  if (read.push === null) return FREE;
  const content = JSON.stringify([destination, pathOf(request), read.push.commands]);
  const ask: PermissionAsk = {
    ...judged,
    ...askedBy(caller),
    summary: read.summary,
    changes: read.changes,
    body: null,
    bytes: null,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
  const progress = new PushProgress(response, read.push.capabilities);
  const denial = await permission(parts.village, response, ask).finally(() => progress.stop());
  return denial === null ? { ...FREE, ask, push: read.push } : { denial, push: read.push };
}

async function guardBody(parts: GuardParts, guarded: GuardedRequest, judged: Judged): Promise<LetOut | Refused> {
  const { caller, request, response } = guarded;
  const body = await parts.bodies.read(caller.admission.uid, request);
  if (body.kind === 'cut') return { denial: CUT, push: null };
  const release = body.kind === 'whole' ? body.release : FREE.release;
  const ask: PermissionAsk = { ...judged, ...askedBy(caller), ...shownBody(guarded, body), changes: [] };
  const denial = await permission(parts.village, response, ask);
  if (denial === null) return { ask, body: body.kind === 'whole' ? body.bytes : null, push: null, release };
  release();
  return { denial, push: null };
}

function askedBy({ admission, identity }: Caller): Pick<PermissionAsk, 'ask' | 'admission' | 'run' | 'call'> {
  return { ask: randomUUID(), admission, run: identity.run, call: identity.call };
}

function shownBody(guarded: GuardedRequest, body: Body): Pick<PermissionAsk, 'summary' | 'body' | 'bytes' | 'sha256'> {
  const { method = 'GET', url = '/', headers } = guarded.request;
  const summary = `${method} ${originOf(guarded)}${url}`.slice(0, EGRESS_SUMMARY_MAX_CHARS).toWellFormed();
  if (body.kind === 'whole')
    return { summary, body: excerptOf(body.bytes), bytes: body.bytes.length, sha256: hashOf(guarded, body.bytes) };
  const length = headers['content-length'];
  return { summary, body: null, bytes: length === undefined ? null : Number(length), sha256: null };
}

function originOf({ destination: { host, port }, form }: GuardedRequest): string {
  const [scheme, usual] = form === 'plain' ? ['http', 80] : ['https', 443];
  const name = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${name}${port === usual ? '' : `:${String(port)}`}`;
}

/** The beginning of a text; null for binary bytes and for an empty body. */
function excerptOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  if (text === '' || /[^\P{Cc}\n\r\t]|\uFFFD/u.test(text)) return null;
  return text.length <= EGRESS_EXCERPT_MAX_CHARS
    ? text
    : `${text.slice(0, EGRESS_EXCERPT_MAX_CHARS - 1).toWellFormed()}…`;
}

/** The hash of everything that a server may act on: method, target, headers and body. */
function hashOf({ destination, form, request }: GuardedRequest, body: Buffer): string {
  const headers = Object.entries(endToEnd(request.headers))
    .filter(([name]) => !IDLE_HEADERS.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { method, url } = request;
  const digest = createHash('sha256').update(body).digest('hex');
  return createHash('sha256')
    .update(JSON.stringify([form, destination, method, url, headers, digest]))
    .digest('hex');
}

/** Null if the write may go out now. A program that hangs up ends the wait. */
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
