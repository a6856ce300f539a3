import type { ManifestDenial, ToolOutcome } from '../../../effects/tool-outcome.ts';

/** Why a built-in tool failed. Each has one text for people and models that says what failed, then the fix. */
type FaultCode =
  | 'not_found'
  | 'is_a_folder'
  | 'not_a_folder'
  | 'not_a_file'
  | 'not_text'
  | 'too_large'
  | 'changed'
  | 'program_not_found'
  | 'command_failed'
  | 'command_timed_out'
  | 'not_kept';

/** An expected end of a built-in tool other than its result. */
export class ToolFault extends Error {
  readonly outcome: ToolOutcome;

  constructor(outcome: ToolOutcome) {
    super('text' in outcome ? outcome.text : outcome.kind);
    this.outcome = outcome;
  }
}

export const fault = (code: FaultCode, text: string): ToolFault => new ToolFault({ kind: 'failed', code, text });
export const denial = (code: ManifestDenial, text: string): ToolFault => new ToolFault({ kind: 'denied', code, text });

/** The outcome of work that may end with a fault. Other errors are those of the engine and its machine, and pass. */
export async function outcomeOf(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolFault) return error.outcome;
    throw error;
  }
}

/** True if the system refused an operation with one of these codes, such as `ENOENT`. */
export const isSystemError = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
