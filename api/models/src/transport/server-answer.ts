/** A request to a server, in a form that the platform's `fetch` also accepts. */
export interface ServerRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** An answer whose body is still arriving, such as the platform's `Response`. A reader that stops early closes the connection. */
export interface ServerAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends a request and waits for the head of the answer. Does not follow redirects. */
export type Fetch = (url: string, request: ServerRequest) => Promise<ServerAnswer>;
