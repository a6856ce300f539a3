import type { CallReport } from '@hamlet/contract';
import type { CallContext, ToolOutcome } from '@hamlet/engine';
import type { ToolResult } from '../tools/tool-kit.ts';

export type { CallReport };

/** A call that may run. `waitsMs`: the time that it may take longer, because people are asked about what it sends; default none. */
export interface BegunWork {
  readonly kind: 'begun';
  readonly waitsMs?: number;
}

/** The call may run, or its result says why it may not. */
export type BeginAnswer = BegunWork | ToolResult;

/** `absent`: the call certainly did not begin. `boot`: the start of the hands in which it began; null if that is not known. */
export type KnownCall = { readonly kind: 'absent' } | { readonly kind: 'begun'; readonly boot: string | null };

/** A call with its arguments as JSON, and the present start of the hands. */
export interface BegunIn {
  readonly tool: string;
  readonly args: string;
  readonly boot: string;
  /** True if the call may run again, also after another start of the hands. */
  readonly repeats: boolean;
}

/** The log of the calls of a run that are carried out in the hands. */
export interface CallLog {
  /** Stores the start of a call before it runs. */
  begin(context: CallContext, call: BegunIn): Promise<BeginAnswer>;
  end(context: CallContext, end: { readonly outcome: ToolOutcome; readonly report: CallReport }): Promise<void>;
  find(context: CallContext, call: BegunIn): Promise<KnownCall>;
}

/** Keeps nothing, and knows nothing. */
export const NO_CALL_LOG: CallLog = {
  begin: async () => ({ kind: 'begun' }),
  end: async () => {},
  find: async () => ({ kind: 'begun', boot: null }),
};
