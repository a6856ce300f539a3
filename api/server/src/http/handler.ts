import type { IncomingHttpHeaders } from 'node:http';
import type { ROUTES, RouteSpec } from '@hamlet/contract';
import type { Tx } from '@hamlet/store';
import type { z } from 'zod';
import type { Actor, AgentActor } from './actor.ts';
import type { CompletionChannel } from './completion-channel.ts';
import type { EventSink } from './event-sink.ts';
import type { Outcome } from './outcome.ts';

type Part<R, K extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<K, infer S>> ? (S extends z.ZodType ? z.output<S> : undefined) : undefined;

export interface PerformedCall {
  readonly runId: string;
  readonly callId: string;
}

export interface Caller {
  readonly actor: Actor;
  readonly requestId: string;
  readonly traceparent: string;
  readonly call?: PerformedCall;
}

export function callerOf({ actor, requestId, traceparent, call }: Caller): Caller {
  return { actor, requestId, traceparent, ...(call === undefined ? {} : { call }) };
}

/** The caller of a request and its origin, for requests to other routes that it causes. */
export interface Origin extends Omit<Caller, 'call'> {
  /** That of `RequestOf`. */
  readonly ownSpan?: string | undefined;
  readonly address: string;
}

export function originOf({ actor, requestId, traceparent, ownSpan, address }: Origin): Origin {
  return { actor, requestId, traceparent, ownSpan, address };
}

export interface RequestOf<R extends RouteSpec> {
  readonly params: Part<R, 'params'>;
  readonly query: Part<R, 'query'>;
  readonly body: Part<R, 'body'>;
  readonly actor: R['permission'] extends 'agent:self' | 'run:work' | 'models:use' ? AgentActor : Actor;
  readonly requestId: string;
  readonly traceparent: string;
  /** The `traceparent` of this request's span, which a run that it creates continues; absent without a span. */
  readonly ownSpan?: string | undefined;
  readonly now: Date;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  /** Set if the request comes from performCall and not from a client. */
  readonly call?: PerformedCall;
}

/** The identity of a keyed write. `hash` covers route, path, query and body. */
export interface WriteKey {
  readonly actor: string;
  readonly key: string;
  readonly hash: Uint8Array;
}

export type DataOf<R extends RouteSpec> = R['answer'] extends {
  readonly kind: 'json' | 'completion';
  readonly schema: infer S extends z.ZodType;
}
  ? z.input<S>
  : R['answer'] extends { readonly kind: 'bytes' }
    ? Uint8Array
    : string;

/**
 * The ways to serve a route. `plain` returns an answer. `tx` does so in one transaction with its idempotency key.
 * `world` passes the key and a command to the writer of the world, which commits the event and the answer together.
 * `cluster` writes a custom resource between two transactions, see `writeCluster`. `own` calls `runOnce` itself. `stream` writes events until one
 * side ends it. `completion` returns an answer, or streams through its channel and returns null. It verifies its
 * actor's proof before it asks for an answer, and refuses with token_invalid if that fails.
 */
type HandlerOf<R extends RouteSpec> = R['answer'] extends { readonly kind: 'sse' }
  ? { readonly kind: 'stream'; open(request: RequestOf<R>, sink: EventSink): Promise<Outcome<() => void>> }
  : R['answer'] extends { readonly kind: 'completion' }
    ? {
        readonly kind: 'completion';
        run(request: RequestOf<R>, channel: CompletionChannel): Promise<Outcome<DataOf<R>> | null>;
      }
    : R['idempotency'] extends 'key'
      ?
          | { readonly kind: 'tx'; run(request: RequestOf<R>, tx: Tx): Promise<Outcome<DataOf<R>>> }
          | { readonly kind: 'world' | 'cluster' | 'own'; run(request: RequestOf<R>, key: WriteKey): Promise<Answered> }
      : { readonly kind: 'plain'; run(request: RequestOf<R>): Promise<Outcome<DataOf<R>>> };

type RouteNamed<N> = Extract<(typeof ROUTES)[number], { readonly name: N }>;

export type Handlers = { readonly [N in (typeof ROUTES)[number]['name']]: HandlerOf<RouteNamed<N>> };

export type Answered = { readonly outcome: Outcome<unknown>; readonly replayed: boolean };

export const plain = <R, D>(run: (request: R) => Promise<Outcome<D>>) => ({ kind: 'plain', run }) as const;

export const inTx = <R, D>(run: (request: R, tx: Tx) => Promise<Outcome<D>>) => ({ kind: 'tx', run }) as const;

export type AnyHandler =
  | { readonly kind: 'completion'; run(request: unknown, channel: CompletionChannel): Promise<Outcome<unknown> | null> }
  | { readonly kind: 'stream'; open(request: unknown, sink: EventSink): Promise<Outcome<() => void>> }
  | { readonly kind: 'tx'; run(request: unknown, tx: Tx): Promise<Outcome<unknown>> }
  | { readonly kind: 'world' | 'cluster' | 'own'; run(request: unknown, key: WriteKey): Promise<Answered> }
  | { readonly kind: 'plain'; run(request: unknown): Promise<Outcome<unknown>> };
