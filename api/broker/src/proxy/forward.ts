import { request as requestHttp, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, type Readable, type Writable } from 'node:stream';
import type { EgressRule } from '@hamlet/contract';
import { deny, judgeRequest, type Destination, type EgressDenial } from '@hamlet/core/egress';
import type { ByteBudget } from '../byte-budget.ts';
import { placeholderOf, withSecret } from '../secrets/placeholder.ts';
import { Scrub, scrubText } from '../secrets/scrub.ts';
import type { Village } from '../village.ts';
import type { Caller, OpenAttempt, Recorder } from './caller.ts';
import { endToEnd } from './headers.ts';
import { BytesSpent, Meter } from './meter.ts';
import { NotReached, type Outlets } from './outlets.ts';
import { refuseRequest } from './refuse.ts';

/** Without a byte in either direction for so long, a request ends. */
const IDLE_MS = 300_000;

export interface ForwardParts {
  readonly recorder: Recorder;
  readonly outlets: Outlets;
  readonly budget: ByteBudget;
  readonly village: Pick<Village, 'secret'>;
}

/** One request of an admitted agent, whose destination the connection has fixed. */
export interface Passage {
  readonly caller: Caller;
  readonly destination: Destination;
  readonly form: 'inspect' | 'plain';
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
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

function judged({ caller, destination, request }: Passage): EgressRule | EgressDenial {
  const { method = 'GET', url = '/' } = request;
  const verdict = judgeRequest(caller.admission.policy, destination, { method, target: url });
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

/** Opens the request to the server. Its connection comes from the agent's own outlet, to a vetted address. */
function open(
  parts: ForwardParts,
  { caller, destination, form, request }: Passage,
  secret: Secret | null,
): ClientRequest {
  const outlet = parts.outlets.of(caller.admission);
  const headers = endToEnd(request.headers);
  const { host, port } = destination;
  const options = {
    host,
    port,
    method: request.method,
    path: request.url,
    headers:
      secret === null
        ? headers
        : { ...withSecret(headers, secret.placeholder, secret.value), 'accept-encoding': 'identity' },
    timeout: IDLE_MS,
  };
  if (form === 'plain') return requestHttp({ ...options, agent: outlet.http });
  return requestHttps({ ...options, agent: outlet.https });
}

/** Passes the answer on, with the placeholder where the server shows the secret. */
function answer(passage: Passage, incoming: IncomingMessage, secret: Secret | null): Writable {
  const { response } = passage;
  const headers = endToEnd(incoming.headers);
  if (secret === null) {
    response.writeHead(incoming.statusCode ?? 502, headers);
    return response;
  }
  const shown = JSON.parse(scrubText(JSON.stringify(headers), secret.value, secret.placeholder));
  delete shown['content-length'];
  response.writeHead(incoming.statusCode ?? 502, shown);
  const scrub = new Scrub(secret.value, secret.placeholder);
  pipeline(scrub, response, () => undefined);
  return scrub;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function exchange(
  parts: ForwardParts,
  passage: Passage,
  by: { rule: EgressRule; attempt: OpenAttempt; secret: Secret | null },
): void {
  const { request, response, destination, caller } = passage;
  const { attempt, secret } = by;
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
    pass(incoming, 'received', answer(passage, incoming, secret));
  });
  response.on('close', () => {
    // After a whole answer the connection serves the next request.
    if (!response.writableFinished) outgoing.destroy();
    attempt.end(null);
  });
  if (hasBody(request)) pass(request, 'sent', outgoing);
  else outgoing.end();
}

/** Judges, records and forwards one request, or refuses it. Never rejects. */
export async function forward(parts: ForwardParts, passage: Passage): Promise<void> {
  const { caller, destination, form, request, response } = passage;
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const facts = { form, destination, method: request.method ?? null, path: path.slice(0, 1024) };
  const refuse = (denial: EgressDenial): void => {
    parts.recorder.refused(caller, facts, denial);
    request.resume();
    refuseRequest(response, denial);
  };
  const rule = judged(passage);
  if ('verdict' in rule) return refuse(rule);
  const secret = await secretOf(parts, passage, rule);
  if (secret !== null && 'verdict' in secret) return refuse(secret);
  const attempt = await parts.recorder.begin(caller, facts);
  if (!('end' in attempt)) return refuseRequest(response, attempt);
  exchange(parts, passage, { rule, attempt, secret });
}
