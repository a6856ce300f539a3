/** One operation of a session of the browser. */
export type BrowserOperation =
  | { readonly op: 'open'; readonly url: string; readonly sends: boolean; readonly timeoutMs: number }
  | { readonly op: 'read'; readonly show: 'elements' | 'text'; readonly tab?: number | undefined }
  | { readonly op: 'click'; readonly ref: string; readonly sends: boolean }
  | {
      readonly op: 'fill';
      readonly ref: string;
      readonly value: string;
      readonly submit: boolean;
      readonly sends: boolean;
    }
  | { readonly op: 'screenshot'; readonly fullPage: boolean }
  | { readonly op: 'download'; readonly ref?: string | undefined; readonly url?: string | undefined };

/** A call as `call.ts` reads it from its standard input, and sends it to the session. */
export interface BrowserRequest {
  /** Folder of the session: its socket, and pictures. */
  readonly folder: string;
  readonly run: string;
  /** The call for which the broker records what leaves. */
  readonly call: string;
  readonly operation: BrowserOperation;
}

export interface SeenPage {
  readonly url: string;
  readonly title: string;
}

/** The end of an operation, as `call.ts` writes it to its error stream. */
export type BrowserFacts =
  | {
      readonly ok: true;
      readonly url: string;
      readonly title: string;
      readonly opened: readonly SeenPage[];
      readonly held: number;
      readonly tabs: readonly (SeenPage & { readonly current: boolean })[];
      readonly file: { readonly path: string; readonly bytes: number; readonly name: string } | null;
    }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface BrowserAnswer {
  readonly facts: BrowserFacts;
  /** Elements or words of the page. */
  readonly text: string;
}

export const SOCKET_NAME = 'session.sock';
/** Longest message between session and call. */
export const MESSAGE_MAX_BYTES = 8 << 20;
