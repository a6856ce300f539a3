/** Workflows in a host: a program with its own journal, tools and runs, such as a resident. */
export { leastOf, WorkflowHost } from './workflow-host.ts';
export type { AskedAgent, MissingTool } from '../facade/host-tools.ts';
export type { AskedRepeat, AskedTask } from '../facade/task-request.ts';
export { EngineError } from '../facade/engine-error.ts';
export { nearestName } from '../manifest/nearest-name.ts';
export type { ManifestTool } from '../tools/tools-of.ts';
export { villageCall, VILLAGE_NAMES } from '../tools/village-names.ts';
