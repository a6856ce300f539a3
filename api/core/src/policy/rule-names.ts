import { isVillageTool, TOOL_CLASSES, VILLAGE_TOOL_NAMES } from '@hamlet/contract/tools';
import type { PolicyRule } from '@hamlet/contract';

/** A name of an MCP server or tool: the village cannot know which servers its agents will have. */
const MCP_NAME = /^mcp__[a-z][a-z0-9-]*(__[A-Za-z0-9_-]+)?$/;
/** Maximum number of wrong names to report for one list of rules. */
const REPORTED_MAX = 16;
/** Maximum edit distance between a name and the suggested one. */
const CHANGES_MAX = 3;

/** True for a village tool, and for an MCP tool or server, which may be declared later. Pure. */
export const isToolName = (name: string): boolean => isVillageTool(name) || MCP_NAME.test(name);

const isClass = (name: string): boolean => (TOOL_CLASSES as readonly string[]).includes(name);

/** The Levenshtein distance; if it exceeds {@link CHANGES_MAX}, any greater number. */
function changesBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > CHANGES_MAX) return CHANGES_MAX + 1;
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...from].entries()) {
    const line = [row + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (above[at] ?? 0) + (letter === to[at] ? 0 : 1);
      line.push(Math.min(replaced, (above[at + 1] ?? 0) + 1, (line[at] ?? 0) + 1));
    }
    above = line;
  }
  return above[to.length] ?? 0;
}

/** The nearest known name to an unknown one; null if none is near. Pure. */
export function nearestName(name: string): string | null {
  const least = Math.min(CHANGES_MAX, Math.ceil(name.length / 3));
  const near = [...TOOL_CLASSES, ...VILLAGE_TOOL_NAMES]
    .map((known) => ({ known, changes: changesBetween(name, known) }))
    .filter(({ changes }) => changes <= least)
    .toSorted((a, b) => a.changes - b.changes);
  return near[0]?.known ?? null;
}

function fixOf(name: string): string {
  const near = nearestName(name);
  return near === null ? 'correct the name' : `did you mean ${near}?`;
}

/** Unknown names in rules and in `spec.tools.allow`, at most {@link REPORTED_MAX}, each with the fix. Pure. */
export function unknownNames(
  rules: readonly Pick<PolicyRule, 'tools'>[],
  allow: readonly string[] = [],
): readonly string[] {
  const named = [
    ...allow.map((name) => ({ name, place: 'spec.tools.allow' })),
    ...rules.flatMap(({ tools }, at) => tools.map((name) => ({ name, place: `rule ${at + 1}` }))),
  ];
  return named
    .filter(({ name }) => !isToolName(name) && !isClass(name))
    .slice(0, REPORTED_MAX)
    .map(({ name, place }) => `${place}: ${name} is neither a tool nor a class of tools: ${fixOf(name)}`);
}
