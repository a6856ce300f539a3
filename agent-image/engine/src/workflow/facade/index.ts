/** The engine for workflows: the main entry of the npm package. Everything else of this folder and its neighbours may change at any time. */
export { Engine } from './engine.ts';
export type { EngineOptions } from './engine.ts';
export type { TaskSpec } from './task-request.ts';
export { EngineError } from './engine-error.ts';
export type { EngineErrorCode } from './engine-error.ts';
export type { StageStatus, StageView, Task, TaskStatus, TaskWait } from './task.ts';
export { Budgets } from '../../journal/event.ts';
export type { Answer } from '../../journal/event.ts';
export { ToolOutcome } from '../../effects/tool-outcome.ts';
export { ModelEnd } from '../../loop/ports.ts';
export type { ModelDelta, ModelPort, ModelRequest } from '../../loop/ports.ts';
export {
  AgentsManifest,
  MemoryManifest,
  OverridesManifest,
  PipelinesManifest,
  PluginsManifest,
  ToolsManifest,
  WorkflowManifest,
} from '../manifest/schemas.ts';
export type { ConfigCode, ConfigError } from '../plan/config-error.ts';
export type { FailureCategory, FailureSignature } from '../plan/failure.ts';
export { HOOKS, HOOKS_VERSION } from '../plugins/hooks.ts';
export type { Hook, HookContext, HookHandler, Veto } from '../plugins/hooks.ts';
export type { Plugin } from '../plugins/plugin.ts';
export { Override } from '../route/override.ts';
export { TelemetryEvent } from '../telemetry/event.ts';
export { ExecutionInput, ExecutionOutput } from '../tools/execution.ts';
export type { HandlerContext, ToolHandler } from '../tools/tool-handler.ts';
export { ToolPlan } from '../tools/tool-plan.ts';
