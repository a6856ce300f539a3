import type { z } from 'zod';
import type { RouteSpec } from '../route.ts';

type Part<R, K extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<K, infer S>> ? (S extends z.ZodType ? z.input<S> : never) : never;
type Field<K extends string, T> = [T] extends [never]
  ? unknown
  : object extends T
    ? { readonly [P in K]?: T }
    : { readonly [P in K]: T };

/** What a call of a route needs: its params, query and body, each only where the route has one. */
export type CallInput<R extends RouteSpec> = Field<'params', Part<R, 'params'>> &
  Field<'query', Part<R, 'query'>> &
  Field<'body', Part<R, 'body'>> & {
    /** Kept across retries of one intent; a fresh one is made where it is left out. */
    readonly idempotencyKey?: string;
    /** What is to be changed, as its etag said: where it is not that any more, the answer is `precondition_failed`. */
    readonly ifMatch?: string;
    readonly signal?: AbortSignal;
  };

/** What a route answers with: its parsed JSON, the bytes, or the text. */
export type CallData<R extends RouteSpec> = R['answer'] extends {
  readonly kind: 'json' | 'completion';
  readonly schema: infer S extends z.ZodType;
}
  ? z.output<S>
  : R['answer'] extends { readonly kind: 'bytes' }
    ? Uint8Array
    : string;

/** One event of a route's stream, narrowed by `event`. `id` is what `after` resumes from. */
export type StreamEvent<R extends RouteSpec> = R['answer'] extends { readonly kind: 'sse'; readonly events: infer E }
  ? {
      [K in keyof E & string]: {
        readonly event: K;
        readonly id: string | null;
        readonly data: E[K] extends z.ZodType ? z.output<E[K]> : never;
      };
    }[keyof E & string]
  : never;
