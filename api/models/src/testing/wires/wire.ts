import type { ModelErrorCode } from '../../chat/model-error.ts';
import type { WireAnswer, WireChunk } from '../wire-server.ts';

/** A tool call of a scripted answer; its arguments arrive in pieces. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly pieces: readonly string[];
}

export interface ScriptedAnswer {
  /** The pieces of a thought, before the text. */
  readonly thought?: readonly string[];
  readonly text?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
  /** Null: the provider reports no usage. */
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly cached?: number } | null;
  readonly finish?: 'stop' | 'length';
}

/** The codes that a provider can report in an HTTP answer. */
export type ReportedCode = Exclude<ModelErrorCode, 'unreachable' | 'network' | 'bad_answer' | 'cancelled'>;

export interface Wire {
  /** The seal of each scripted thought; absent if the provider has none, null if it shows no thoughts. */
  readonly seal?: string | null;
  /** A whole answer; a stream if the provider only streams. */
  plain(answer: ScriptedAnswer): WireAnswer;
  stream(answer: ScriptedAnswer): WireAnswer;
  /** A whole answer, if `plain` is a stream. */
  whole?(answer: ScriptedAnswer): WireAnswer;
  /** False if a stream consists of other lines than server-sent events. */
  readonly isEvents?: boolean;
  /** The provider's own error bodies, with their headers. */
  readonly errors: Readonly<Record<ReportedCode, WireAnswer>>;
  /** An overload that the provider reports in the middle of a stream. */
  readonly overloadInStream: WireChunk;
}

const DEFAULT_USAGE = { prompt: 11, completion: 7 } as const;

export function usageOf({ usage }: ScriptedAnswer): { prompt: number; completion: number; cached?: number } | null {
  return usage === undefined ? DEFAULT_USAGE : usage;
}

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, chunks: [JSON.stringify(body)] };
}

export function eventStream(chunks: readonly WireChunk[]): WireAnswer {
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, chunks };
}

/** Interleaves the pieces of several calls: the first of each, the second of each, and so on. */
export function interleaved(calls: readonly ScriptedCall[]): readonly {
  readonly index: number;
  readonly call: ScriptedCall;
  readonly piece: string;
  readonly isFirst: boolean;
}[] {
  const longest = Math.max(0, ...calls.map(({ pieces }) => pieces.length));
  return Array.from({ length: longest }).flatMap((_, position) =>
    calls.flatMap((call, index) => {
      const piece = call.pieces[position];
      return piece === undefined ? [] : [{ index, call, piece, isFirst: position === 0 }];
    }),
  );
}
