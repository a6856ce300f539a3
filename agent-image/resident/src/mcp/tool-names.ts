import { createHash } from 'node:crypto';

/** Limits of providers: length, and allowed characters. */
const NAME_MAX_CHARS = 64;
const NOT_ALLOWED = /[^A-Za-z0-9_-]/g;
const HASH_DIGITS = 8;

/** The name of a server's tool for models and rules, if its own name is allowed. */
export const mcpToolName = (server: string, tool: string): string => `mcp__${server}__${tool}`;

/**
 * The names of a server's tools for models and rules, by their own. A name with other characters gets `_` for them; one that is too
 * long or would be taken twice ends in a hash of the own name. They do not depend on the order of the tools. Pure.
 */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map(tools.map((tool) => [tool, mcpToolName(server, tool).replaceAll(NOT_ALLOWED, '_')]));
  const uses = Map.groupBy(plain.keys(), (tool) => plain.get(tool));
  return new Map(
    [...plain].map(([tool, name]) => {
      const isOwn = name === mcpToolName(server, tool);
      const isClear = isOwn || (uses.get(name) ?? []).length === 1;
      return [tool, isClear && name.length <= NAME_MAX_CHARS ? name : withHash(name, tool)];
    }),
  );
}

function withHash(name: string, tool: string): string {
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_DIGITS);
  return `${name.slice(0, NAME_MAX_CHARS - HASH_DIGITS - 1)}_${hash}`;
}
