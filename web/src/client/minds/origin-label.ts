import type { TaintMark } from '@hamlet/contract';

const ORIGINS: Readonly<Record<TaintMark['source'], (detail: string) => string>> = {
  tool: (detail) => `A result of ${detail}`,
  mcp: (detail) => `The MCP server ${detail}`,
  shell: () => 'A command that used the network',
  egress: (detail) => `A connection to ${detail}`,
  supply: (detail) => `Its repository or a registry (${detail})`,
  memory: (detail) => `The memory ${detail}, which such a run wrote`,
  parent: () => 'The run that delegated this one',
  worker: () => 'A worker of this run',
  conversation: () => 'An earlier answer in this conversation',
  script: (detail) => `The script ${detail}, which such a run or another agent wrote`,
};

/** Words for a source from outside that a run has read. */
export function originLabel({ source, detail }: Pick<TaintMark, 'source' | 'detail'>): string {
  return ORIGINS[source](detail);
}
