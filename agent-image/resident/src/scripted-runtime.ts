import type { AgentRuntime } from '@hamlet/engine';
import { reply } from './brain/speech.ts';

/**
 * The runtime of an agent without a language model: it answers with sentences from a list, chosen by seed.
 * It is polite and says what it is about, and that is all it can do.
 */
export function createScriptedRuntime(): AgentRuntime {
  return {
    initialize: async () => {},
    execute: async (prompt, { seed, speaker, plan }) => reply(seed, prompt, { speaker, plan }),
    terminate: async () => {},
  };
}
