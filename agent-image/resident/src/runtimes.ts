import { createCommandRuntime, createEngineRuntime, createStubRuntime, type RuntimeRegistry } from '@hamlet/engine';
import { createScriptedRuntime } from './runtime/scripted-runtime.ts';

/** The runtimes that an Agent may name in `spec.runtime.name`. Add a new runtime here. */
export const RUNTIMES: RuntimeRegistry = {
  command: createCommandRuntime,
  engine: createEngineRuntime,
  scripted: createScriptedRuntime,
  stub: createStubRuntime,
};
