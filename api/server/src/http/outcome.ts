import type { Refusal } from '@hamlet/contract';
import type { ShownLimit } from './rate-limit.ts';

/** The result of a handler: data, or a refusal with a reason of its route. Exceptions are for bugs and lost connections. */
export type Outcome<T> = Accepted<T> | Refused;

export interface Accepted<T> {
  readonly ok: true;
  readonly data: T;
  /** Set if the answer is the same for every caller: the API then encodes and checks each object once. */
  readonly shared?: true;
  readonly cookies?: readonly string[];
  /** The API calls it after the commit, but not for a replayed answer. */
  readonly afterCommit?: () => void;
  readonly headers?: Readonly<Record<string, string>>;
  /** Status of an answer whose protocol has its own statuses; by default that of the route. */
  readonly status?: number;
  readonly limits?: readonly ShownLimit[];
}

export interface Refused {
  readonly ok: false;
  readonly reason: Refusal;
  /** Advice for this request; if absent, the API sends the title of the reason. */
  readonly detail?: string;
  /** The class of a provider's failure. */
  readonly cause?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly retryAfterS?: number;
  readonly limits?: readonly ShownLimit[];
  /** Set if a provider of models was asked: then the gateway counts the request. */
  readonly asked?: true;
}

export const accepted = <T>(data: T): Accepted<T> => ({ ok: true, data });

export function refused(reason: Refusal, detail?: string, retryAfterS?: number): Refused {
  return {
    ok: false,
    reason,
    ...(detail === undefined ? {} : { detail }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  };
}
