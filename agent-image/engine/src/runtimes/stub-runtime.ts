import { doneWith, type AgentRuntime } from '../agent-runtime.ts';

/** A runtime for tests: its answer repeats the input, the repository and the branch. */
export const createStubRuntime = (): AgentRuntime => ({
  initialize: async () => {},
  execute: async ({ text }, { repo, branch }) =>
    doneWith(
      [
        '[STUB RESPONSE]',
        `Received prompt: ${text}`,
        `Context: repo=${repo ?? 'none'}, branch=${branch ?? 'none'}`,
        'No work was done: the stub runtime only answers.',
      ].join('\n'),
    ),
  terminate: async () => {},
});
