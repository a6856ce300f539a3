import type { Surroundings } from '@hamlet/engine';

/** Lower case without accents, as people write names in a hurry. */
export function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function mentions(text: string, name: string): boolean {
  const words = plain(name)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words !== '' && ` ${plain(text).replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(` ${words} `);
}

/** The longest name wins: "Town Hall" is meant where "hall" is said too. */
function best<T>(candidates: readonly { readonly name: string; readonly is: T }[], text: string): T | null {
  const named = candidates.filter(({ name }) => mentions(text, name)).toSorted((a, b) => b.name.length - a.name.length);
  return named[0]?.is ?? null;
}

/** The place that a text names, by its name, its id or its kind; `home` is the agent's own. Null where it names none. */
export function placeIn(text: string, { places, home }: Surroundings): string | null {
  const named = places.flatMap(({ id, name, kind }) => [
    { name, is: id },
    { name: id, is: id },
    ...(kind === 'home' ? [] : [{ name: kind, is: id }]),
  ]);
  return best([...named, { name: 'home', is: home }], text);
}

/** The agent that a text names, by its name or its id. Null where it names none. */
export function agentIn(text: string, { agents }: Surroundings): string | null {
  return best(
    agents.flatMap(({ id, name }) => [
      { name, is: id },
      { name: id, is: id },
    ]),
    text,
  );
}

/** What stands in quotes; null where nothing does. */
export function quotedIn(text: string): string | null {
  const [, double, curly, angled, single] =
    /"([^"]+)"|“([^”]+)”|«([^»]+)»|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/u.exec(text) ?? [];
  return (double ?? curly ?? angled ?? single)?.trim() ?? null;
}
