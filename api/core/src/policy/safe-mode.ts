import { TOOL_CLASSES } from '@hamlet/contract';
import type { Policy, SafeMode, ToolClass } from '@hamlet/contract';

/** Classes whose calls change nothing. Speech leaves no trace, and a worker has the mode of its parent. */
export const UNCHANGING: readonly ToolClass[] = ['read', 'speak', 'network', 'delegate'];
const CHANGING: readonly ToolClass[] = TOOL_CLASSES.filter((name) => !UNCHANGING.includes(name));
/** Tools of a class that is left, which change the agent's memory or its files. */
const CHANGING_TOOLS = ['remember', 'forget', 'pin', 'browser_download'] as const;

const REASONS: Readonly<Record<SafeMode, string>> = {
  analysis_only: 'This run only analyses: it changes nothing. Use tools that read, and answer with what you find',
  dry_run:
    'This is a dry run: the call was not performed. Continue as if it had succeeded, and list in your answer each call that you would have made',
};

/** The rule that denies every change in a run of a safe mode. No rule of village, tier or Agent overrides a denial. Pure. */
export function safeModeRule(mode: SafeMode): Policy['rules'][number] {
  return {
    tools: [...CHANGING, ...CHANGING_TOOLS].toSorted(),
    verdict: 'deny',
    reason: REASONS[mode],
    from: 'safe_mode',
  };
}
