import type { CallContext } from '../../effects/tool.ts';
import type { ToolOutcome } from '../../effects/tool-outcome.ts';
import type { JsonSchema } from '../../json/guide.ts';
import { validate } from '../../json/validate.ts';
import { ToolFault } from './built-ins/tool-fault.ts';
import type { Need, SafeMode } from './check-tool-call.ts';

const RESULT_MAX_CHARS = 1_000_000;
const ERROR_MAX_CHARS = 2_000;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** `key`: the same for all attempts of a call, different for every other call. `signal` aborts at the timeout and at a cancel. */
export type HandlerContext = Readonly<
  Pick<CallContext, 'run' | 'call' | 'key' | 'attempt' | 'signal'> & {
    mode: SafeMode | null;
    /** Throws the denial if the permissions of the tool forbid it. Call it before each such act, and let the error pass. */
    permit: (need: Need) => void;
  }
>;

/**
 * A program's own tool. Its result is a text or a JSON value. A rejection is a failure of the tool: its code is the error's `code`, if
 * that is a name in lower snake case, else `handler_failed`.
 */
export type ToolHandler = (input: unknown, context: HandlerContext) => Promise<unknown>;

type Handled = Readonly<{ handler: ToolHandler; output: JsonSchema | undefined }>;

/** The outcome of a handler. Its result must fit the output schema of its manifest, if that has one. */
export async function runHandler(
  { handler, output }: Handled,
  input: unknown,
  context: HandlerContext,
): Promise<ToolOutcome> {
  let result: unknown;
  try {
    result = await handler(input, context);
  } catch (error) {
    return outcomeOfError(error);
  }
  return outcomeOfResult(result, output);
}

function outcomeOfError(error: unknown): ToolOutcome {
  if (error instanceof ToolFault) return error.outcome;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const text = error instanceof Error ? error.message : String(error);
  return failed(CODE.test(code) ? code : 'handler_failed', text.slice(0, ERROR_MAX_CHARS));
}

function outcomeOfResult(result: unknown, output: JsonSchema | undefined): ToolOutcome {
  const json = jsonOf(result);
  if (json === null) return failed('bad_output', 'The result is not a JSON value.');
  const text = typeof result === 'string' && output === undefined ? result : json;
  if (text.length > RESULT_MAX_CHARS)
    return failed('too_large', `The result has more than ${RESULT_MAX_CHARS} characters.`);
  if (output === undefined) return { kind: 'ok', text };
  const fits = validate(JSON.parse(json), output);
  if (fits.ok) return { kind: 'ok', text };
  const issues = fits.issues.map(({ path, expected }) => `${path === '' ? '(result)' : path}: ${expected}`).join('; ');
  return failed('bad_output', `The result does not fit the output schema: ${issues}`.slice(0, ERROR_MAX_CHARS));
}

/** Null for a value without a JSON text, such as a cycle. A handler without a result gives null. */
function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value ?? null) ?? null;
  } catch {
    return null;
  }
}

const failed = (code: string, text: string): ToolOutcome => ({ kind: 'failed', code, text });
