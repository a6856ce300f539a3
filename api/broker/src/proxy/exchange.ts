import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { pipeline, Readable, Writable, type Transform } from 'node:stream';
import type { EgressRule } from '@hamlet/contract';
import { deny, type EgressDenial } from '@hamlet/core/egress';
import type { Dispatcher } from 'undici';
import type { ByteBudget } from '../byte-budget.ts';
import { refusedPush } from '../git/push-report.ts';
import { withSecret } from '../secrets/scrub.ts';
import { Scrub, scrubText } from '../secrets/scrub.ts';
import type { OpenAttempt } from './caller.ts';
import { endToEnd } from './headers.ts';
import { BytesSpent, Meter } from './meter.ts';
import { NotReached, type AnswerReader, type Outlets } from './outlets.ts';
import type { Push } from './push-guard.ts';
import { REFUSAL_HEADER, refuseRequest } from './refuse.ts';
import type { GuardedRequest, LetOut } from './write-guard.ts';

const HUNG_UP = new Error('the program has hung up');
const SILENT = new Error('no byte for too long');

/** An answer that the program gets with other links. */
export interface AnswerLinks {
  headers(headers: OutgoingHttpHeaders): OutgoingHttpHeaders;
  /** Null if the body stays unchanged. */
  stream(headers: OutgoingHttpHeaders): Transform | null;
}

/** A request that may go out, with its program's answer. */
export interface Outgoing extends GuardedRequest {
  /** For the index of a registry: its links stay on the broker's reverse endpoints. */
  readonly links?: AnswerLinks;
}

export interface Secret {
  readonly value: string;
  readonly placeholder: string;
}

export interface ExchangeParts {
  readonly outlets: Outlets;
  readonly budget: ByteBudget;
  /** A request ends after this long without a byte in either direction. */
  readonly idleMs: number;
}

interface By {
  readonly rule: EgressRule;
  readonly attempt: OpenAttempt;
  readonly secret: Secret | null;
  readonly out: LetOut;
}

interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const UNREACHABLE = (host: string): EgressDenial =>
  deny('egress_unreachable', `${host} did not answer; try again later`);

function denialOf(error: unknown, host: string): EgressDenial {
  if (error instanceof NotReached || error instanceof BytesSpent) return error.denial;
  return UNREACHABLE(host);
}

/** The broker can only change answers without an encoding. It answers an `Expect` itself. */
function outgoingHeaders({ request, links }: Outgoing, secret: Secret | null): OutgoingHttpHeaders {
  const { expect: _answered, ...headers } = endToEnd(request.headers);
  const own = secret === null ? headers : withSecret(headers, secret.placeholder, secret.value);
  return secret === null && links === undefined ? own : { ...own, 'accept-encoding': 'identity' };
}

/** Passes the answer on, with the placeholder instead of the secret, and with rewritten links. */
function answer({ response, links }: Outgoing, { status, headers }: AnswerHead, secret: Secret | null): Writable {
  const own = endToEnd(headers);
  // The broker alone says that it refused something.
  delete own[REFUSAL_HEADER];
  const linked = links?.headers(own) ?? own;
  const rewriting = links?.stream(linked) ?? null;
  const scrubbing = secret === null ? null : new Scrub(secret.value, secret.placeholder);
  const filters: readonly Transform[] = [scrubbing, rewriting].filter((filter) => filter !== null);
  const [first] = filters;
  const shown =
    secret === null ? { ...linked } : JSON.parse(scrubText(JSON.stringify(linked), secret.value, secret.placeholder));
  if (first !== undefined) delete shown['content-length'];
  response.writeHead(status, shown);
  if (first === undefined) return response;
  pipeline([...filters, response], () => undefined);
  return first;
}

/** Drops what is written to it. */
const unheeded = (): Writable => new Writable({ write: (_chunk, _encoding, next) => next() });

/** Answers a push after its progress lines. A refusal of the server becomes a report of git. */
function answerAfterProgress(
  { response }: Outgoing,
  status: number,
  { secret, push }: { secret: Secret | null; push: Push },
): Writable {
  if (status !== 200) {
    const denial = deny('egress_unreachable', `the server refused the push with ${String(status)}`);
    response.end(refusedPush(push.commands, push.capabilities, denial));
    return unheeded();
  }
  if (secret === null) return response;
  const scrubbing = new Scrub(secret.value, secret.placeholder);
  pipeline(scrubbing, response, () => undefined);
  return scrubbing;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** The body of a request, counted while it is sent. */
function bodyOf({ request }: Outgoing, { body }: LetOut, meter: Meter): Readable | null {
  const from = body ?? (hasBody(request) ? request : null);
  if (from === null || (Buffer.isBuffer(from) && from.length === 0)) return null;
  const counted = meter.stream('sent');
  pipeline(Buffer.isBuffer(from) ? Readable.from([from]) : from, counted, () => undefined);
  return counted;
}

/** The answer of a server on its way to the program. Mutable, because it follows the connection. */
class Answering implements AnswerReader {
  readonly #outgoing: Outgoing;
  readonly #by: By;
  readonly #meter: Meter;
  #controller: Dispatcher.DispatchController | null = null;
  readonly #idle: NodeJS.Timeout;
  #to: Writable | null = null;
  #isGone = false;
  #hasFailed = false;

  constructor(outgoing: Outgoing, by: By, { meter, idleMs }: { readonly meter: Meter; readonly idleMs: number }) {
    this.#outgoing = outgoing;
    this.#by = by;
    this.#meter = meter;
    this.#idle = setTimeout(() => this.#endSilent(), idleMs);
    outgoing.response.on('close', this.#close);
  }

  readonly onStart = (controller: Dispatcher.DispatchController, address: string | null): void => {
    this.#controller = controller;
    this.#by.attempt.address = address;
    if (this.#isGone) controller.abort(HUNG_UP);
  };

  readonly onBodySent = (): void => void this.#idle.refresh();

  readonly onResponseStart = (
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHead['headers'],
  ): void => {
    if (status < 200) return;
    const { attempt, secret, out } = this.#by;
    attempt.status = status;
    const { push } = out;
    const isLate = push !== null && this.#outgoing.response.headersSent;
    this.#to = isLate
      ? answerAfterProgress(this.#outgoing, status, { secret, push })
      : answer(this.#outgoing, { status, headers }, secret);
  };

  readonly onResponseData = (controller: Dispatcher.DispatchController, chunk: Buffer): void => {
    this.#idle.refresh();
    const spent = this.#meter.count('received', chunk.length);
    if (spent !== null) controller.abort(spent);
    else if (this.#to?.write(chunk) === false) this.#pause(controller, this.#to);
  };

  readonly onResponseEnd = (): void => {
    this.#to?.end();
    this.#by.attempt.end(null);
  };

  readonly onResponseError = (_controller: Dispatcher.DispatchController | null, error: Error): void => {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const denial = denialOf(error, this.#outgoing.destination.host);
    this.#by.attempt.end(denial);
    refuseRequest(this.#outgoing.response, denial);
  };

  #pause(controller: Dispatcher.DispatchController, to: Writable): void {
    controller.pause();
    const read = (): void => {
      this.#idle.refresh();
      to.off('drain', read).off('close', read);
      controller.resume();
    };
    to.on('drain', read).on('close', read);
  }

  /** This also ends a request that waits for a connection, and an answer that its program does not read. */
  #endSilent(): void {
    this.#isGone = true;
    this.#controller?.abort(SILENT);
    this.onResponseError(this.#controller, SILENT);
  }

  readonly #close = (): void => {
    clearTimeout(this.#idle);
    this.#by.out.release();
    this.#by.attempt.end(null);
    this.#isGone = true;
    // After a whole answer the connection serves the next request.
    if (!this.#outgoing.response.writableFinished) this.#controller?.abort(HUNG_UP);
  };
}

/** Sends a request that was judged, recorded and permitted, and passes its answer on to the program. */
export function exchange(parts: ExchangeParts, outgoing: Outgoing, by: By): void {
  const { caller, destination, form, request } = outgoing;
  const { admission } = caller;
  const meter = new Meter(parts.budget, by.attempt, { admission, rules: [by.rule] });
  const sent = {
    method: (request.method ?? 'GET') as Dispatcher.HttpMethod,
    path: request.url ?? '/',
    headers: outgoingHeaders(outgoing, by.secret) as Record<string, string | string[]>,
    body: bodyOf(outgoing, by.out, meter),
  };
  const server = { ...destination, isTls: form !== 'plain' };
  parts.outlets.of(admission).send(server, sent, new Answering(outgoing, by, { meter, idleMs: parts.idleMs }));
}
