import type { Manifests } from '../manifest/manifests.ts';

/** How many parts valid manifests have. */
export type ManifestsSummary = Readonly<{
  workflow: string;
  pipelines: readonly string[];
  nodes: number;
  edges: number;
  agents: number;
  tools: number;
}>;

export const summaryOfManifests = ({ workflow, pipelines, agents, tools }: Manifests): ManifestsSummary => ({
  workflow: workflow.id,
  pipelines: pipelines.map(({ id }) => id),
  nodes: workflow.nodes.length,
  edges: workflow.edges.length,
  agents: agents.length,
  tools: tools.length,
});

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Valid manifests in one line, for people. Pure. */
export function manifestsText({ workflow, pipelines, nodes, edges, agents, tools }: ManifestsSummary): string {
  const parts = [counted(nodes, 'node'), counted(edges, 'edge'), counted(agents, 'agent'), counted(tools, 'tool')];
  const ways = `${pipelines.length === 1 ? 'pipeline' : 'pipelines'} ${pipelines.join(', ')}`;
  return `workflow ${workflow} is valid: ${parts.join(', ')}; ${ways}`;
}
