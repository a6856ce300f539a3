import type { CallContext } from '../../../effects/tool.ts';
import type { ToolOutcome } from '../../../effects/tool-outcome.ts';
import type { Need } from '../check-tool-call.ts';
import type { Workspace } from '../workspace.ts';
import { fault } from './tool-fault.ts';

/** The surroundings of one call of a built-in tool. */
export type ToolJob = Readonly<{
  workspace: Workspace;
  context: Pick<CallContext, 'key' | 'attempt' | 'signal' | 'output'>;
  /** Throws the denial if the permissions forbid it. */
  permit: (need: Need) => void;
  /** True if the call must plan its changes and make none. */
  isDry: boolean;
  timeoutMs: number;
}>;

/** Longest result as text; the journal keeps no more. */
const RESULT_MAX_CHARS = 1_000_000;

/** The result of a built-in tool: always one JSON object. */
export function jsonResult(value: Readonly<Record<string, unknown>>): ToolOutcome {
  const text = JSON.stringify(value);
  if (text.length > RESULT_MAX_CHARS)
    throw fault('too_large', `The result has more than ${RESULT_MAX_CHARS} characters: ask for less.`);
  return { kind: 'ok', text };
}
