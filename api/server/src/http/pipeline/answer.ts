import type { Accepted, Outcome, Refused } from '../outcome.ts';
import { showLimits } from '../rate-limit.ts';
import type { Exchange } from './exchange.ts';

const OK_STATUS = 200;
const SEE_OTHER_STATUS = 303;
const JSON_TYPE = 'application/json; charset=utf-8';

export function answer(exchange: Exchange, outcome: Outcome<unknown>): Refused | null {
  if (!outcome.ok) return outcome;
  showLimits(exchange.response, outcome.limits);
  const { route, response } = exchange;
  if (outcome.cookies !== undefined) response.append('set-cookie', [...outcome.cookies]);
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store');
  if (outcome.headers !== undefined) response.set(outcome.headers);
  response.status(route.answer.kind === 'redirect' ? SEE_OTHER_STATUS : (outcome.status ?? route.status ?? OK_STATUS));
  sendBody(exchange, outcome);
  return null;
}

function sendBody(exchange: Exchange, outcome: Accepted<unknown>): void {
  const { route, response } = exchange;
  if ('schema' in route.answer) {
    const bytes = exchange.writeJson(outcome, (data) => holdToContract(exchange, data));
    response.setHeader('content-type', JSON_TYPE).send(bytes);
  } else if (route.answer.kind === 'redirect') {
    response.set('location', String(outcome.data)).end();
  } else if (route.answer.kind === 'bytes') {
    // A handler with several content types sets the type of its answer.
    if (!response.hasHeader('content-type')) response.type(route.answer.contentType);
    response.send(bufferOf(outcome.data as Uint8Array));
  } else {
    response.type(route.answer.kind === 'text' ? route.answer.contentType : 'text/plain').send(String(outcome.data));
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Checks an answer against its schema. A mismatch is a bug: it throws in tests; in production it is logged and counted. */
function holdToContract(exchange: Exchange, data: unknown): void {
  const { answer: kind } = exchange.route;
  if (!('schema' in kind)) return;
  const checked = kind.schema.safeParse(data);
  if (!checked.success) reportOutsideContract(exchange, checked.error.issues);
}

export function reportOutsideContract({ route, requestId, ports }: Exchange, issues: unknown): void {
  ports.metrics.answerOutsideContract(route.name);
  ports.log('error', 'an answer does not match the contract', { route: route.name, request_id: requestId, issues });
  if (ports.strictAnswers)
    throw new Error(`the answer of ${route.name} does not match the contract: ${JSON.stringify(issues)}`);
}

export type JsonWriter = (outcome: Accepted<unknown>, check: (data: unknown) => void) => Buffer;

export function jsonWriter(ports: AnswerCheckPorts): JsonWriter {
  const isChecked = answerCheck(ports);
  let last: { readonly data: unknown; readonly bytes: Buffer } | null = null;

  function write(data: unknown, check: (data: unknown) => void): Buffer {
    if (isChecked()) check(data);
    return Buffer.from(JSON.stringify(data));
  }

  return ({ data, shared }, check) => {
    if (shared !== true) return write(data, check);
    if (last === null || last.data !== data) last = { data, bytes: write(data, check) };
    return last.bytes;
  };
}

const CHECK_EVERY_MS = 200;

interface AnswerCheckPorts {
  readonly strictAnswers: boolean;
  readonly monotonicMs: () => number;
}

/**
 * Decides whether to check an answer of a route against its schema: always if answers are strict, otherwise at most
 * once in 200 ms. The check of a large answer costs more than all other work on it, and samples are enough to find a
 * bug.
 */
export function answerCheck({ strictAnswers, monotonicMs }: AnswerCheckPorts): () => boolean {
  if (strictAnswers) return () => true;
  let checkedAtMs = -Infinity;
  return () => {
    const nowMs = monotonicMs();
    if (nowMs - checkedAtMs < CHECK_EVERY_MS) return false;
    checkedAtMs = nowMs;
    return true;
  };
}
