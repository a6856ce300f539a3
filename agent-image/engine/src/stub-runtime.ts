import type { AgentRuntime } from './agent-runtime.ts';

/**
 * The runtime for tests of everything around a runtime: it does no work and says so.
 * Its answer holds the prompt, the repository and the branch, so that a test can see all three arrive.
 */
export const createStubRuntime = (): AgentRuntime => ({
  initialize: async () => {},
  execute: async (prompt, { repository, branch }) =>
    [
      '[STUB RESPONSE]',
      `Received prompt: ${prompt}`,
      `Context: repo=${repository ?? 'none'}, branch=${branch ?? 'none'}`,
      'No work was done: the stub runtime only answers.',
    ].join('\n'),
  terminate: async () => {},
});
