import type { CallContext, NeedsPermission, PreparedCall } from './tool.ts';
import { bounded, ToolOutcome as ToolOutcomeSchema, type ToolOutcome } from './tool-outcome.ts';

/** `lost`: the attempt ended and its effect is unknown. */
export type Attempt =
  | Readonly<{ kind: 'outcome'; outcome: ToolOutcome }>
  | NeedsPermission
  | Readonly<{ kind: 'lost'; outcome: ToolOutcome; error: unknown }>;

export type Timing = Readonly<{
  timeoutMs: number;
  /** Aborts with the run. */
  signal: AbortSignal;
  after: (ms: number, run: () => void) => () => void;
}>;

/** One attempt of a call: it ends with the tool or at the timeout. An abort of the run reaches the tool, which should then end. */
export async function executeCall(
  call: PreparedCall,
  context: Omit<CallContext, 'signal'>,
  { timeoutMs, signal, after }: Timing,
): Promise<Attempt> {
  const over = new AbortController();
  const timeout = Promise.withResolvers<Attempt>();
  const cancel = after(timeoutMs, () => {
    over.abort(new DOMException('The call timed out.', 'TimeoutError'));
    timeout.resolve({ kind: 'lost', outcome: { kind: 'timed_out', afterMs: timeoutMs }, error: null });
  });
  const whole: CallContext = { ...context, signal: AbortSignal.any([signal, over.signal]) };
  try {
    return await Promise.race([attempt(call, whole), timeout.promise]);
  } finally {
    cancel();
  }
}

async function attempt(call: PreparedCall, context: CallContext): Promise<Attempt> {
  try {
    const result = await call.execute(context);
    if (result.kind === 'needs_permission') return result;
    const outcome = bounded(ToolOutcomeSchema.parse(result));
    return outcome.kind === 'unknown' ? { kind: 'lost', outcome, error: null } : { kind: 'outcome', outcome };
  } catch (error) {
    return {
      kind: 'lost',
      outcome: { kind: 'failed', code: 'tool_error', text: 'The tool ended with an error.' },
      error,
    };
  }
}
