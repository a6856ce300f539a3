export { RunFailure } from './agent-runtime.ts';
export type {
  AgentRuntime,
  ToolResult,
  RuntimeConfig,
  RuntimeContext,
  RunWork,
  Surroundings,
} from './agent-runtime.ts';
export { createRuntime } from './runtime-registry.ts';
export type { CreatedRuntime, RuntimeRegistry, UnknownRuntime } from './runtime-registry.ts';
export { createStubRuntime } from './runtime-registry.ts';
