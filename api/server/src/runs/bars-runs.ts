import type { AgentBar } from '@hamlet/store';

/** Whether what an admin holds against an agent keeps it from getting work. An agent whose tokens are refused is still there, and may get them back. */
export function barsRuns(bar: AgentBar | undefined): boolean {
  return bar !== undefined && bar.measure !== 'revoke_token';
}
