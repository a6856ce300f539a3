const NAME = /^mcp__([a-z][a-z0-9-]{0,23})__[A-Za-z0-9_-]+$/;

/** The server in the name of a tool; null for a tool of the village. Pure. */
export const mcpServerOf = (tool: string): string | null => NAME.exec(tool)?.[1] ?? null;
