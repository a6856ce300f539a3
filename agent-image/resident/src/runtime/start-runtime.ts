import { accessSync, constants, statSync } from 'node:fs';
import type { AgentConfig } from '@hamlet/contract';
import { createRuntime, RunFailure, type AgentRuntime, type RuntimeRegistry } from '@hamlet/engine';
import { noVoice, voiceOf, type Voice } from './voice.ts';

/** A missing capability that the resident can work without. */
export interface Warning {
  readonly code: 'not_writable' | 'unknown_runtime' | 'runtime_failed';
  readonly message: string;
}

/** Warns about folders of the runtime that are missing or not writable. */
export function checkFolders(folders: Readonly<Record<string, string>>): readonly Warning[] {
  return Object.entries(folders).flatMap(([name, path]) => {
    const fault = faultOf(path);
    return fault === null
      ? []
      : [{ code: 'not_writable' as const, message: `the ${name} folder ${path} cannot be used: ${fault}` }];
  });
}

function faultOf(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory() ? null : 'it is not a folder';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export interface StartedRuntime {
  readonly voice: Voice;
  /** Carries out a run; rejects with the reason when there is no runtime. */
  readonly execute: AgentRuntime['execute'];
  /** The reason why the agent cannot answer; null when it can. */
  readonly warning: Warning | null;
  readonly terminate: () => Promise<void>;
}

export interface RuntimePlace {
  readonly config: AgentConfig;
  readonly workspacePath: string;
  readonly memoryPath: string;
  readonly stop: AbortSignal;
}

/** Creates and initializes the runtime that the Agent names. Without a runtime the agent still walks, but does not answer. */
export async function startRuntime(registry: RuntimeRegistry, place: RuntimePlace): Promise<StartedRuntime> {
  const { name } = place.config.runtime;
  const created = createRuntime(registry, name);
  if (!created.ok) {
    const { code, message } = created.error;
    return { ...silentBecause({ code, message }), terminate: async () => {} };
  }
  const { runtime } = created;
  const terminate = () => runtime.terminate();
  try {
    await initialize(runtime, place);
    const execute: AgentRuntime['execute'] = (prompt, context) => runtime.execute(prompt, context);
    return { voice: voiceOf(runtime, place.stop), execute, warning: null, terminate };
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
