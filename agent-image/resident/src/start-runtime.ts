import type { AgentConfig } from '@hamlet/contract';
import { createRuntime, RunFailure } from '@hamlet/engine';
import type { AgentRuntime, RuntimeRegistry } from '@hamlet/engine';
import type { Warning } from './capabilities.ts';
import { noVoice, voiceOf } from './loop/voice.ts';
import type { Voice } from './loop/voice.ts';

export interface StartedRuntime {
  readonly voice: Voice;
  /** Does what a run asks; rejects with the reason where there is no runtime. */
  readonly execute: AgentRuntime['execute'];
  /** Why the agent will answer nobody; null when it will. */
  readonly warning: Warning | null;
  readonly terminate: () => Promise<void>;
}

export interface RuntimePlace {
  readonly config: AgentConfig;
  readonly workspacePath: string;
  readonly memoryPath: string;
  readonly stop: AbortSignal;
}

/** Creates and initializes the runtime that the Agent names. Without one the agent lives on and answers nobody. */
export async function startRuntime(registry: RuntimeRegistry, place: RuntimePlace): Promise<StartedRuntime> {
  const { name } = place.config.runtime;
  const created = createRuntime(registry, name);
  if (!created.ok)
    return {
      ...silentBecause({ code: created.error.code, message: created.error.message }),
      terminate: async () => {},
    };
  const { runtime } = created;
  const terminate = () => runtime.terminate();
  try {
    await initialize(runtime, place);
    return {
      voice: voiceOf(runtime, place.stop),
      execute: (prompt, context) => runtime.execute(prompt, context),
      warning: null,
      terminate,
    };
  } catch (error) {
    const message = `the runtime ${name} does not start: ${error instanceof Error ? error.message : String(error)}`;
    return { ...silentBecause({ code: 'runtime_failed', message }), terminate };
  }
}

function initialize(runtime: AgentRuntime, { config, workspacePath, memoryPath }: RuntimePlace): Promise<void> {
  return runtime.initialize({
    agentId: config.agent_id,
    displayName: config.display_name,
    persona: Object.values(config.persona).join('\n').trim(),
    workspacePath,
    memoryPath,
    settings: config.runtime.config,
  });
}

function silentBecause(warning: Warning): Omit<StartedRuntime, 'terminate'> {
  const execute = () => Promise.reject(new RunFailure(warning.code, warning.message));
  return { voice: noVoice(warning.message), execute, warning };
}
