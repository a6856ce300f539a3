import { Seeded } from '@hamlet/test/env/seeded';
import { SYNTAX_DAMAGES, unchanged } from './damage-syntax.ts';
import { VALUE_DAMAGES } from './damage-values.ts';
import { sourceOf, type Source } from './documents.ts';
import { textOf, tokensOf, type Style } from './tokens.ts';

/** A line as `hamlet-json` scores it; without `expected`, a refusal is expected. */
export interface Case {
  readonly name: string;
  readonly raw: string;
  readonly schema?: Source['schema'];
  readonly expected?: unknown;
}

const STYLES: readonly Style[] = [
  { indent: 0, isSpaced: true },
  { indent: 0, isSpaced: false },
  { indent: 2, isSpaced: true },
  { indent: 4, isSpaced: true },
];
/** Documents tried for each case, because not every document can be damaged in every way. */
const TRIES = 1_000;

/**
 * Cases of each class, with a schema and without; damage to values makes sense only with a schema. The same seed gives
 * the same cases.
 */
export function corpusOf(seed: number, count: number): readonly Case[] {
  const rng = new Seeded(seed);
  return [...syntaxCases(rng, count), ...valueCases(rng, count)];
}

export const CLASSES = Object.keys(SYNTAX_DAMAGES).length + Object.keys(VALUE_DAMAGES).length;

const styleOf = (rng: Seeded): Style => rng.one(STYLES) ?? { indent: 0, isSpaced: true };

function syntaxCases(rng: Seeded, count: number): readonly Case[] {
  return Object.entries(SYNTAX_DAMAGES).flatMap(([name, damage]) =>
    Array.from({ length: 2 * count }, (_, index) => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const source = sourceOf(rng);
        const style = styleOf(rng);
        const tokens = tokensOf(source.value, style);
        const intact = { value: source.value, tokens, text: textOf(tokens), isPretty: style.indent > 0, rng };
        const damaged = damage({ ...intact, text: unchanged(intact) });
        if (damaged !== null && !isHidden(damaged.raw, source.value))
          return caseOf({ name, source, hasSchema: index % 2 === 1 }, damaged);
      }
      throw new Error(`no document can be damaged as ${name}`);
    }),
  );
}

/** True if the text is valid JSON of another value: no parser can see that damage. */
function isHidden(raw: string, value: unknown): boolean {
  try {
    const read: unknown = JSON.parse(raw);
    return typeof read !== 'string' && JSON.stringify(read) !== JSON.stringify(JSON.parse(JSON.stringify(value)));
  } catch {
    return false;
  }
}

type Named = Readonly<{ name: string; source: Source; hasSchema: boolean }>;

function caseOf({ name, source, hasSchema }: Named, { raw, isLost = false }: { raw: string; isLost?: boolean }): Case {
  // A schema says which of two documents is meant.
  const isKnown = !isLost || (hasSchema && name === 'two documents');
  return {
    name,
    raw,
    ...(hasSchema ? { schema: source.schema } : {}),
    ...(isKnown ? { expected: source.value } : {}),
  };
}

function valueCases(rng: Seeded, count: number): readonly Case[] {
  return Object.entries(VALUE_DAMAGES).flatMap(([name, damage]) =>
    Array.from({ length: count }, () => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const source = sourceOf(rng);
        const damaged = damage(source, rng);
        if (damaged === null) continue;
        const raw = textOf(tokensOf(damaged.value, styleOf(rng)));
        return caseOf({ name, source, hasSchema: true }, { raw, isLost: damaged.isLost ?? false });
      }
      throw new Error(`no document can be damaged as ${name}`);
    }),
  );
}
