import type { BrowserFacts } from '../../program-facts.ts';

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
  readonly folder: string;
  readonly run: string;
  /** The call for which the broker records outgoing requests. */
  readonly call: string;
  readonly operation: BrowserOperation;
}

export type SeenPage = Extract<BrowserFacts, { ok: true }>['opened'][number];

export interface BrowserAnswer {
  readonly facts: BrowserFacts;
  readonly text: string;
}

export const SOCKET_NAME = 'session.sock';
export const MESSAGE_MAX_BYTES = 8 << 20;
