import type { RouteSpec, Problem } from '@hamlet/contract';
import type { Response } from 'express';
import { setStreamHeaders } from './event-sink.ts';
import { showLimits, type ShownLimit } from './rate-limit.ts';
import type { Refused } from './outcome.ts';
import { problemOf, anthropicErrorOf, openAiErrorOf } from './respond.ts';

interface CompletionWire {
  event(chunk: unknown, json: string): string;
  readonly done: string;
  /** @param sent number of events before it. */
  failure(problem: Problem, about: { readonly sent: number; readonly waitS: number | undefined }): string;
}

const data = (json: string): string => `data: ${json}\n\n`;
const named = (event: string, json: string): string => `event: ${event}\n${data(json)}`;

function typeOf(chunk: unknown): string {
  return typeof chunk === 'object' && chunk !== null && 'type' in chunk ? String(chunk.type) : 'message';
}

const OPENAI: CompletionWire = {
  event: (_chunk, json) => data(json),
  done: data('[DONE]'),
  failure: (problem, { waitS }) => data(JSON.stringify({ error: openAiErrorOf(problem, waitS) })),
};

const ANTHROPIC: CompletionWire = {
  event: (chunk, json) => named(typeOf(chunk), json),
  done: '',
  failure: (problem, { waitS }) => {
    const error = anthropicErrorOf(problem, waitS);
    return named('error', JSON.stringify({ type: 'error', error, request_id: problem.request_id }));
  },
};

/** Clients read the code of a failed response: they compact, wait or give up. */
const RESPONSES: CompletionWire = {
  event: (chunk, json) => named(typeOf(chunk), json),
  done: '',
  failure: (problem, { sent, waitS }) => {
    const { code, message } = openAiErrorOf(problem, waitS);
    const response = {
      id: `resp_${problem.request_id}`,
      object: 'response',
      status: 'failed',
      error: { code, message },
    };
    const event = { type: 'response.failed', sequence_number: sent, response };
    return named(event.type, JSON.stringify(event));
  },
};

/** A stream of JSON-RPC responses. Its handler reports failures with the id of the request; this one has no id. */
const A2A: CompletionWire = {
  event: (_chunk, json) => data(json),
  done: '',
  failure: ({ code, detail }) =>
    data(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_603, message: `${code}: ${detail}` } })),
};

const WIRES = { openai: OPENAI, anthropic: ANTHROPIC, responses: RESPONSES, a2a: A2A } as const;

function completionWire({ answer }: Pick<RouteSpec, 'answer'>): CompletionWire {
  return WIRES[answer.kind === 'completion' ? (answer.wire ?? 'openai') : 'openai'];
}

/** Limit of unread output. Above it the API drops the connection. */
const BACKLOG_MAX_BYTES = 1 << 20;
const HEARTBEAT_MS = 5_000;

interface ChannelPorts {
  readonly requestId: string;
  /** The refusal of a request beyond the quota of its actor, else null. */
  readonly limited: () => Promise<Refused | null>;
  readonly isChecked: () => boolean;
  readonly onBadChunk: (issues: unknown) => void;
}

/** Calls a function once a response has closed: at once if its caller left while the request was being admitted. */
export function whenClosed(response: Response, run: () => void): void {
  if (response.closed) run();
  else response.once('close', run);
}

export function openCompletionChannel(route: RouteSpec, response: Response, ports: ChannelPorts) {
  const leaving = new AbortController();
  whenClosed(response, () => {
    if (!response.writableFinished) leaving.abort(new Error('the caller has disconnected'));
  });

  const wire = completionWire(route);
  let heartbeat: NodeJS.Timeout | undefined;
  let sent = 0;

  function write(event: string): void {
    if (event !== '') response.write(event);
    if (response.writableLength > BACKLOG_MAX_BYTES) response.destroy();
  }

  function check(chunk: unknown): void {
    const checked = route.answer.kind === 'completion' ? route.answer.chunk.safeParse(chunk) : undefined;
    if (checked?.success === false) ports.onBadChunk(checked.error.issues);
  }

  function send(chunk: unknown): void {
    if (ports.isChecked()) check(chunk);
    write(wire.event(chunk, JSON.stringify(chunk)));
    sent += 1;
  }

  return {
    gone: leaving.signal,
    /** The handlers of requests to models await it before they ask a provider. */
    limited: ports.limited,
    /** Aborts `gone`, although the caller is still connected: it may read nothing more. */
    leave: () => leaving.abort(new Error('the caller may read nothing more')),
    /** Begins a streamed answer with its headers and first chunks, at least one. Later failures can only be reported by `end`. */
    begin: (limits: readonly ShownLimit[], first: readonly unknown[]) => {
      showLimits(response, limits);
      setStreamHeaders(response);
      for (const chunk of first) send(chunk);
      // A slow model may be silent for minutes while it reads the prompt; the caller's connection must not look dead.
      if (response.closed) return;
      heartbeat = setInterval(() => response.write(': \n\n'), HEARTBEAT_MS);
      response.once('close', () => clearInterval(heartbeat));
    },
    send,
    end: (refusal?: Refused) => {
      clearInterval(heartbeat);
      const about = { sent, waitS: refusal?.retryAfterS };
      write(refusal === undefined ? wire.done : wire.failure(problemOf(refusal, ports.requestId), about));
      response.end();
    },
  };
}

export type CompletionChannel = ReturnType<typeof openCompletionChannel>;
