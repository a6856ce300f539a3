import { argumentNames, type Tool } from '@hamlet/engine';
import { mcpServerOf } from '@hamlet/core/policy';
import { FIND_TOOLS, usableTools, type ToolRules } from './shown-tools.ts';
import { searchTools, TOOL_GROUPS } from './tool-groups.ts';

/** The tools of a run that fit the query, with arguments and use. Its next request shows them. Pure. */
export function findTools(tools: readonly Tool[], query: string, rules: ToolRules): string {
  const usable = usableTools(tools, rules).filter(({ name }) => name !== FIND_TOOLS);
  const found = searchTools(usable, query);
  if (found.length === 0) return `No tool fits. You can search for these:\n${listed(usable)}`;
  const lines = found.map((tool) => lineOf(tool, rules));
  return `These tools are yours from your next answer on:\n${lines.join('\n')}`;
}

function lineOf({ name, description, input }: Tool, { verdictOf }: ToolRules): string {
  const asks = verdictOf(name) === 'ask' ? ' Each call waits for a person.' : '';
  return `- ${name}(${argumentNames(input).join(', ')}): ${description}${asks}`;
}

const listed = (tools: readonly Tool[]): string =>
  groupsOf(tools)
    .map(({ group, members }) => `- ${group}: ${members.join(', ')}`)
    .join('\n');

interface NamedGroup {
  readonly group: string;
  readonly members: readonly string[];
}

/** The groups of these tools, with the names of the tools; those of a task are in none. Pure. */
export function groupsOf(tools: readonly Pick<Tool, 'name'>[]): readonly NamedGroup[] {
  const names = tools.map(({ name }) => name);
  const own = Object.entries(TOOL_GROUPS).map(([group, { tools: members }]) => ({
    group,
    members: members.filter((name) => names.includes(name)),
  }));
  const served = Map.groupBy(names, (name) => mcpServerOf(name) ?? '');
  served.delete('');
  return [...own, ...[...served].map(([group, members]) => ({ group, members }))].filter(
    ({ members }) => members.length > 0,
  );
}
