import type { CallReport } from '@hamlet/contract';
import type { CallContext, ToolOutcome } from '@hamlet/engine';
import type { ToolResult } from '../tools/tool-kit.ts';

export type { CallReport };

/** `kind: 'begun'`, or the result of a call that may not run. */
export type BeginAnswer = { readonly kind: 'begun' } | ToolResult;

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
