import type { OutgoingHttpHeaders } from 'node:http';
import { pipeline, Readable, Writable, type Transform } from 'node:stream';
import type { EgressRule } from '@hamlet/contract';
import { deny, endToEnd, type EgressDenial, type WireHeaders, type WireRequest } from '@hamlet/core/egress';
import type { Dispatcher } from 'undici';
import type { ByteBudget } from '../byte-budget.ts';
import { refusedPush } from '../git/push-report.ts';
import { putSecret } from '../secrets/put-secret.ts';
import { SecretSpotter } from '../secrets/spot-secret.ts';
import type { OpenAttempt } from './caller.ts';
import { BytesSpent, headLength, Meter } from './meter.ts';
import { NotReached, type AnswerReader, type Outlets } from './outlets.ts';
import type { Push } from '../git/push-commands.ts';
import { REFUSAL_HEADER, refuseRequest } from './refuse.ts';
import type { GuardedRequest, LetOut } from './write-guard.ts';

const HUNG_UP = new Error('the program has hung up');
const SILENT = new Error('no byte for too long');

export interface AnswerLinks {
  headers(headers: OutgoingHttpHeaders): OutgoingHttpHeaders;
  /** Null if the body stays unchanged. */
  stream(headers: OutgoingHttpHeaders): Transform | null;
}

/** A request that may go out, with its program's answer. */
export interface Outgoing extends GuardedRequest {
  /** Set for the index of a registry: its links then lead to the broker's reverse endpoints. */
  readonly links?: AnswerLinks;
}

export interface ExchangeParts {
  readonly outlets: Outlets;
  readonly budget: ByteBudget;
  /** A request ends after this long without a byte in either direction. */
  readonly idleMs: number;
}

/** A judged and permitted request, exactly as the broker will send it. */
export interface By {
  readonly wire: WireRequest;
  readonly rule: EgressRule;
  readonly attempt: OpenAttempt;
  /** The value that replaces the placeholder; null without a secret. */
  readonly secret: string | null;
  readonly out: LetOut;
}

interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const UNREACHABLE = (host: string): EgressDenial =>
  deny('egress_unreachable', `${host} did not answer; try again later`);

/** Ends an answer that the program must not receive. */
class Withheld extends Error {
  readonly denial: EgressDenial;

  constructor(denial: EgressDenial) {
    super(denial.message);
    this.denial = denial;
  }
}

function denialOf(error: unknown, host: string): EgressDenial {
  if (error instanceof NotReached || error instanceof BytesSpent || error instanceof Withheld) return error.denial;
  return UNREACHABLE(host);
}

const RETURNED = deny(
  'egress_secret_returned',
  'the server returned the secret, so the broker withholds the answer; ask an admin to check this server',
);
const UNREADABLE_ANSWER = deny(
  'egress_answer_unreadable',
  'the answer to a request with a secret is partial or encoded, so the broker cannot check it for the secret; request the whole answer without an encoding',
);

/** The broker can only read and change answers without an encoding. */
function sentHeaders({ links }: Outgoing, { wire, rule, secret }: By): WireHeaders {
  if (secret !== null) return putSecret(wire.headers, rule, secret);
  return links === undefined ? wire.headers : { ...wire.headers, 'accept-encoding': 'identity' };
}

/** The reason to withhold an answer to a request with a secret, from its head; null if it may pass. */
function withheldBy(spotter: SecretSpotter, { status, headers }: AnswerHead): EgressDenial | null {
  if (status === 206 || String(headers['content-encoding'] ?? 'identity') !== 'identity') return UNREADABLE_ANSWER;
  return spotter.isIn(Buffer.from(Object.entries(headers).flat(2).join('\n'), 'latin1')) ? RETURNED : null;
}

/** Passes the answer to the program, with rewritten links. A body that contains the secret fails with `SecretReturned`. */
function answer(
  { response, links }: Outgoing,
  { status, headers }: AnswerHead,
  { spotting }: { readonly spotting: Transform | null },
): Writable {
  const own: OutgoingHttpHeaders = endToEnd(headers);
  // A server must not forge a refusal of the broker.
  delete own[REFUSAL_HEADER];
  const shown = { ...(links?.headers(own) ?? own) };
  const rewriting = links?.stream(shown) ?? null;
  const filters: readonly Transform[] = [spotting, rewriting].filter((filter) => filter !== null);
  const [first] = filters;
  if (rewriting !== null) delete shown['content-length'];
  response.writeHead(status, shown);
  if (first === undefined) return response;
  pipeline([...filters, response], () => undefined);
  return first;
}

/** Drops what is written to it. */
const unheeded = (): Writable => new Writable({ write: (_chunk, _encoding, next) => next() });

/** Answers a push after its progress lines. An HTTP refusal of the server becomes a git report. */
function answerAfterProgress(
  { response }: Outgoing,
  status: number,
  { spotting, push }: { readonly spotting: Transform | null; readonly push: Push },
): Writable {
  if (status !== 200) {
    const denial = deny('egress_unreachable', `the server refused the push with ${String(status)}`);
    response.end(refusedPush(push.commands, push.capabilities, denial));
    return unheeded();
  }
  if (spotting === null) return response;
  pipeline(spotting, response, () => undefined);
  return spotting;
}

/** The body of a request, counted while it is sent. */
function bodyOf({ request }: Outgoing, { wire, out: { body } }: By, meter: Meter): Readable | null {
  const from = body ?? (wire.hasBody ? request : null);
  if (from === null || (Buffer.isBuffer(from) && from.length === 0)) return null;
  const counted = meter.stream('sent');
  pipeline(Buffer.isBuffer(from) ? Readable.from([from]) : from, counted, () => undefined);
  return counted;
}

/** The state of a server's answer while it passes to the program. Mutable. */
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
    controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHead['headers'],
  ): void => {
    // The broker passes on no reason phrase, so it counts none.
    const spent = this.#meter.count('received', headLength(`HTTP/1.1 ${String(status)} `, headers));
    if (spent !== null) controller.abort(spent);
    else if (status >= 200) this.#begin(controller, { status, headers });
  };

  #begin(controller: Dispatcher.DispatchController, { status, headers }: AnswerHead): void {
    const { attempt, secret, out } = this.#by;
    attempt.status = status;
    const spotter = secret === null ? null : new SecretSpotter(secret);
    const withheld = spotter === null ? null : withheldBy(spotter, { status, headers });
    if (withheld !== null) return controller.abort(new Withheld(withheld));
    const spotting = spotter?.stream() ?? null;
    spotting?.once('error', () => controller.abort(new Withheld(RETURNED)));
    const { push } = out;
    const isLate = push !== null && this.#outgoing.response.headersSent;
    this.#to = isLate
      ? answerAfterProgress(this.#outgoing, status, { spotting, push })
      : answer(this.#outgoing, { status, headers }, { spotting });
  }

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

/** Sends a judged, recorded and permitted request, and passes its answer to the program. */
export function exchange(parts: ExchangeParts, outgoing: Outgoing, by: By): void {
  const { caller, destination, form } = outgoing;
  const { admission } = caller;
  const meter = new Meter(parts.budget, by.attempt, { admission, rules: [by.rule] });
  const { method, target: path } = by.wire;
  const headers = { ...sentHeaders(outgoing, by) };
  const reader = new Answering(outgoing, by, { meter, idleMs: parts.idleMs });
  const spent = meter.count('sent', headLength(`${method} ${path} HTTP/1.1`, headers));
  if (spent !== null) {
    outgoing.request.resume();
    return reader.onResponseError(null, spent);
  }
  const sent = { method: method as Dispatcher.HttpMethod, path, headers, body: bodyOf(outgoing, by, meter) };
  parts.outlets.of(admission).send({ ...destination, isTls: form !== 'plain' }, sent, reader);
}
