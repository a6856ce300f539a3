import { doneWith, type AgentRuntime } from '@hamlet/engine';

/** Repeats the input after the prefix that the Agent's `spec.runtime.config.prefix` gives. */
export const createEchoRuntime = (): AgentRuntime => {
  let prefix = 'I heard: ';
  return {
    initialize: async ({ settings }) => {
      if (settings['prefix'] === undefined) return;
      if (typeof settings['prefix'] !== 'string') throw new Error('runtime.config.prefix must be text');
      prefix = settings['prefix'];
    },
    execute: async ({ text }, { signal }) => {
      signal.throwIfAborted();
      return doneWith(`${prefix}${text}`);
    },
    terminate: async () => {},
  };
};
