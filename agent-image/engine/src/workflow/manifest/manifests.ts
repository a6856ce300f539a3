import {
  AgentsManifest,
  MemoryManifest,
  OverridesManifest,
  PipelinesManifest,
  PluginsManifest,
  ToolsManifest,
  WorkflowManifest,
} from './schemas.ts';

/** The manifests by the names of their files, in the order in which their errors are reported. */
export const MANIFESTS = {
  'agents.yaml': AgentsManifest,
  'tools.yaml': ToolsManifest,
  'workflow.yaml': WorkflowManifest,
  'pipelines.yaml': PipelinesManifest,
  'memory.yaml': MemoryManifest,
  'plugins.yaml': PluginsManifest,
  'overrides.yaml': OverridesManifest,
} as const;
export type ManifestName = keyof typeof MANIFESTS;
export const MANIFEST_NAMES = Object.keys(MANIFESTS) as readonly ManifestName[];

/** All manifests of a folder, each file's keys beside those of the others. Files that are absent are empty. */
export type Manifests = Readonly<
  AgentsManifest &
    ToolsManifest &
    WorkflowManifest &
    PipelinesManifest &
    MemoryManifest &
    PluginsManifest &
    OverridesManifest
>;
