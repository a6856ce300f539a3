import { request as requestHttp, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, Readable, Writable, type Transform } from 'node:stream';
import type { EgressRule } from '@hamlet/contract';
import { EGRESS_PATH_MAX_CHARS, placeholderOf } from '@hamlet/contract/broker';
import { deny, judgeRequest, type EgressDenial, type EgressRequest } from '@hamlet/core/egress';
import type { ByteBudget } from '../byte-budget.ts';
import { withSecret } from '../secrets/placeholder.ts';
import { Scrub, scrubText } from '../secrets/scrub.ts';
import type { Village } from '../village.ts';
import type { AttemptFacts, OpenAttempt, Recorder } from './caller.ts';
import { endToEnd } from './headers.ts';
import { BytesSpent, Meter } from './meter.ts';
import { NotReached, type Outlets } from './outlets.ts';
import { refusedPush } from '../git/push-report.ts';
import { refusePush, type Push } from './push-guard.ts';
import { REFUSAL_HEADER, refuseRequest } from './refuse.ts';
import { GONE, guardWrite, type GuardParts, type GuardedRequest, type LetOut } from './write-guard.ts';

/** Without a byte in either direction for so long, a request ends. */
const IDLE_MS = 300_000;

export interface ForwardParts extends GuardParts {
  readonly recorder: Recorder;
  readonly outlets: Outlets;
  readonly budget: ByteBudget;
  readonly village: Pick<Village, 'secret' | 'permit' | 'withdraw'>;
}

/** An answer that the program gets with other links. */
export interface AnswerLinks {
  headers(headers: OutgoingHttpHeaders): OutgoingHttpHeaders;
  /** Null where the body stays as it is. */
  stream(headers: OutgoingHttpHeaders): Transform | null;
}

/** One request of an admitted agent, whose destination the connection has fixed. */
export interface Passage extends GuardedRequest {
  /** Judged by the rules in place of method and target, where a protocol uses these otherwise. */
  readonly asks?: EgressRequest;
  /** For the index of a registry: its links stay on the broker's reverse endpoints. */
  readonly links?: AnswerLinks;
}

interface Secret {
  readonly value: string;
  readonly placeholder: string;
}

const UNREACHABLE = (host: string): EgressDenial =>
  deny('egress_unreachable', `${host} did not answer; try again later`);

function denialOf(error: unknown, host: string): EgressDenial {
  if (error instanceof NotReached || error instanceof BytesSpent) return error.denial;
  return UNREACHABLE(host);
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

/** Answers that the broker changes must come as they are. */
function outgoingHeaders({ request, links }: Passage, secret: Secret | null): OutgoingHttpHeaders {
  const headers = endToEnd(request.headers);
  const own = secret === null ? headers : withSecret(headers, secret.placeholder, secret.value);
  return secret === null && links === undefined ? own : { ...own, 'accept-encoding': 'identity' };
}

/** Opens the request to the server. Its connection comes from the agent's own outlet, to a vetted address. */
function open(parts: ForwardParts, passage: Passage, secret: Secret | null): ClientRequest {
  const { caller, destination, form, request } = passage;
  const outlet = parts.outlets.of(caller.admission);
  const { host, port } = destination;
  const options = {
    host,
    port,
    method: request.method,
    path: request.url,
    headers: outgoingHeaders(passage, secret),
    timeout: IDLE_MS,
  };
  if (form === 'plain') return requestHttp({ ...options, agent: outlet.http });
  return requestHttps({ ...options, agent: outlet.https });
}

/** Passes the answer on, with the placeholder where the server shows the secret, and with links of its registry. */
function answer({ response, links }: Passage, incoming: IncomingMessage, secret: Secret | null): Writable {
  const own = endToEnd(incoming.headers);
  // The broker alone says that it refused something.
  delete own[REFUSAL_HEADER];
  const headers = links?.headers(own) ?? own;
  const rewriting = links?.stream(headers) ?? null;
  const scrubbing = secret === null ? null : new Scrub(secret.value, secret.placeholder);
  const filters: readonly Transform[] = [scrubbing, rewriting].filter((filter) => filter !== null);
  const [first] = filters;
  const shown =
    secret === null ? { ...headers } : JSON.parse(scrubText(JSON.stringify(headers), secret.value, secret.placeholder));
  if (first !== undefined) delete shown['content-length'];
  response.writeHead(incoming.statusCode ?? 502, shown);
  if (first === undefined) return response;
  pipeline([...filters, response], () => undefined);
  return first;
}

/** The rest of this answer is dropped. */
const unheeded = (): Writable => new Writable({ write: (_chunk, _encoding, next) => next() });

/** Passes the answer to a push on to a program that has been reading of its wait. A refusal of the server becomes a report of git. */
function answerAfterProgress(
  { response }: Passage,
  incoming: IncomingMessage,
  by: { secret: Secret | null; push: Push },
): Writable {
  const { secret, push } = by;
  if (incoming.statusCode !== 200) {
    const denial = deny('egress_unreachable', `the server refused the push with ${String(incoming.statusCode)}`);
    response.end(refusedPush(push.commands, push.capabilities, denial));
    return unheeded();
  }
  if (secret === null) return response;
  const scrubbing = new Scrub(secret.value, secret.placeholder);
  pipeline(scrubbing, response, () => undefined);
  return scrubbing;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function exchange(
  parts: ForwardParts,
  passage: Passage,
  by: { rule: EgressRule; attempt: OpenAttempt; secret: Secret | null; out: LetOut },
): void {
  const { request, response, destination, caller } = passage;
  const { attempt, secret, out } = by;
  const meter = new Meter(parts.budget, attempt, { admission: caller.admission, rules: [by.rule] });
  const outgoing = open(parts, passage, secret);
  const fail = (error: unknown): void => {
    const denial = denialOf(error, destination.host);
    attempt.end(denial);
    outgoing.destroy();
    refuseRequest(response, denial);
  };
  const pass = (from: Readable, direction: 'sent' | 'received', to: Writable): void => {
    from.on('error', fail);
    from.on('data', (chunk: Buffer) => {
      const spent = meter.count(direction, chunk.length);
      if (spent !== null) fail(spent);
    });
    from.pipe(to);
  };
  outgoing.on('socket', (socket) => {
    const note = (): void => void (attempt.address = socket.remoteAddress ?? null);
    if (socket.connecting) socket.once('connect', note);
    else note();
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error('no byte for too long')));
  outgoing.on('error', fail);
  outgoing.on('response', (incoming) => {
    attempt.status = incoming.statusCode ?? null;
    incoming.on('end', () => attempt.end(null));
    const { push } = out;
    const isLate = push !== null && response.headersSent;
    pass(
      incoming,
      'received',
      isLate ? answerAfterProgress(passage, incoming, { secret, push }) : answer(passage, incoming, secret),
    );
  });
  response.on('close', () => {
    out.release();
    // After a whole answer the connection serves the next request.
    if (!response.writableFinished) outgoing.destroy();
    attempt.end(null);
  });
  const body = out.body ?? (hasBody(request) ? request : null);
  if (body === null || (Buffer.isBuffer(body) && body.length === 0)) outgoing.end();
  else pass(Buffer.isBuffer(body) ? Readable.from([body]) : body, 'sent', outgoing);
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

function factsOf({ form, destination, request }: Passage): AttemptFacts {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  return { form, destination, method: request.method ?? null, path: path.slice(0, EGRESS_PATH_MAX_CHARS) };
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
