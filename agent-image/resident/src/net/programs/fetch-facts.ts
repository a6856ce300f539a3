/** The request that `fetch.ts` reads from its standard input. */
export interface FetchInput {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** True to follow redirects, and to turn HTML into text. */
  readonly asPage: boolean;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** The facts that `fetch.ts` writes to its error stream. */
export type FetchFacts =
  | {
      readonly ok: true;
      readonly status: number;
      /** The address after all redirects. */
      readonly url: string;
      /** Empty if there is none. */
      readonly title: string;
      readonly contentType: string;
      /** Unpacked bytes that were read. */
      readonly bytes: number;
      /** True if the answer is longer than what was read. */
      readonly isCut: boolean;
      readonly isText: boolean;
      /** Lines of headers; empty for a page. */
      readonly headers: string;
    }
  | { readonly ok: false; readonly code: string; readonly message: string };
