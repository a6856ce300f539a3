import { bareName } from '../json/index.ts';

/** `read`: the value in the form of the argument; undefined if it could mean two things. Pure. */
type Alias = string | Readonly<{ name: string; read: (value: unknown) => unknown }>;

/** Other names that models give to arguments of a tool, each with the argument that it means. Case, `_` and `-` do not count. */
export type ArgumentAliases = Readonly<Record<string, Alias>>;

/**
 * The arguments under the names of the tool. Null if they contain no alias, or if one is in doubt: its argument is also given
 * under its own name or another alias, or its value could mean two things. Pure.
 */
export function withOwnNames(
  given: Readonly<Record<string, unknown>>,
  aliases: ArgumentAliases,
): Readonly<Record<string, unknown>> | null {
  const known = new Map(Object.entries(aliases).map(([alias, own]) => [bareName(alias), own]));
  const members = Object.entries(given).map(([written, value]) => {
    const alias = known.get(bareName(written));
    if (alias === undefined) return [written, value] as const;
    return typeof alias === 'string' ? ([alias, value] as const) : ([alias.name, alias.read(value)] as const);
  });
  const names = new Set(members.map(([name]) => bareName(name)));
  const isCertain = names.size === members.length && members.every(([, value]) => value !== undefined);
  const isOwn = members.every(([name]) => Object.hasOwn(given, name));
  return isCertain && !isOwn ? Object.fromEntries(members) : null;
}
