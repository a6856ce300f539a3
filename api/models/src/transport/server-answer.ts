/** A request to a server. The platform's `fetch` takes it too. */
export interface ServerRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** An answer whose body is still arriving. The platform's `Response` is one. A reader that ends early leaves the server. */
export interface ServerAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends a request and waits for the head of the answer. Follows no redirect. */
export type Fetch = (url: string, request: ServerRequest) => Promise<ServerAnswer>;
