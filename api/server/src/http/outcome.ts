import type { Refusal } from '@hamlet/contract';
import type { ShownLimit } from './admission/show-limits.ts';

/** What a handler decides: data, or one reason of its route. Exceptions are for bugs and lost connections. */
export type Outcome<T> = Accepted<T> | Refused;

export interface Accepted<T> {
  readonly ok: true;
  readonly data: T;
  /** The same for everybody who may call the route: as long as the very same object is given, it is encoded and held to its schema once. */
  readonly shared?: true;
  /** Cookies to set with the answer. */
  readonly cookies?: readonly string[];
  /** What to do once this is committed; not done for an answer that is given again. */
  readonly afterCommit?: () => void;
  /** Headers to set with the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: readonly ShownLimit[];
}

export interface Refused {
  readonly ok: false;
  readonly reason: Refusal;
  /** What to do about this very request; the reason's title where it is left out. */
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly retryAfterS?: number;
  /** Limits to tell in the headers, besides that of requests. */
  readonly limits?: readonly ShownLimit[];
}

export function accepted<T>(data: T): Accepted<T> {
  return { ok: true, data };
}

export function refused(reason: Refusal, detail?: string): Refused {
  return detail === undefined ? { ok: false, reason } : { ok: false, reason, detail };
}
