import type { CallContext, ToolOutcome } from '@hamlet/engine';
import type { ToolResult } from '../tools/tool-kit.ts';

/** The facts about a call that its log keeps, as the pod claims them. Texts are the first and the last part of longer ones. */
export interface CallReport {
  readonly command?: string;
  readonly cwd?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Bytes of both streams, or of the file that was read or written. */
  readonly bytes?: number;
  readonly exit?: number | null;
  readonly duration_ms?: number;
}

/** `kind: 'begun'`, or the result of a call that may not run. */
export type BeginAnswer = { readonly kind: 'begun' } | ToolResult;

/** `absent`: the call certainly did not begin. `boot`: the start of the hands in which it began; null if that is not known. */
export type KnownCall = { readonly kind: 'absent' } | { readonly kind: 'begun'; readonly boot: string | null };

/** The log of the calls of a run that are carried out in the hands. */
export interface CallLog {
  /** Stores the start of a call before it runs. */
  begin(
    context: CallContext,
    call: { readonly tool: string; readonly args: string; readonly boot: string },
  ): Promise<BeginAnswer>;
  end(context: CallContext, end: { readonly outcome: ToolOutcome; readonly report: CallReport }): Promise<void>;
  find(context: CallContext): Promise<KnownCall>;
}

/** Keeps nothing, and knows nothing. */
export const NO_CALL_LOG: CallLog = {
  begin: async () => ({ kind: 'begun' }),
  end: async () => {},
  find: async () => ({ kind: 'begun', boot: null }),
};
