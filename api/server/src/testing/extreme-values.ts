import type { Seeded } from '@hamlet/test/env/seeded';
import { z } from 'zod';

const DEEP_LEVELS = 2_000;
const MANY = 5_000;
/** Share of drawn values that ignore the schema. */
const EXTREME_CHANCE = 0.35;

function nested(wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < DEEP_LEVELS; level += 1) value = wrap(value);
  return value;
}

/** Unusual values: huge, negative, fractional, repeated, deeply nested, of the wrong type, and texts that break some parsers. */
const EXTREMES: readonly unknown[] = [
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2 ** 53,
  1e21,
  1e308,
  -1e308,
  0.5,
  -0.5,
  -1,
  0,
  2 ** 31,
  -(2 ** 31) - 1,
  65_536,
  Number.MIN_VALUE,
  '',
  ' ',
  'a'.repeat(MANY),
  '9'.repeat(400),
  '-1',
  '1e9',
  '0x10',
  'NaN',
  'Infinity',
  '\u0000',
  '\uD800',
  '\u202E',
  '../../..',
  '%00',
  "' or 1=1 --",
  '9999-12-31T23:59:59.999Z',
  '-000001-01-01T00:00:00Z',
  'ada',
  'bob',
  '01890000-0000-7000-8000-000000000000',
  'apple-9999999999',
  null,
  true,
  false,
  [],
  {},
  [[]],
  Array.from({ length: MANY }, () => 0),
  Array.from({ length: MANY }, () => 'ada'),
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, 0])),
  nested((inner) => [inner]),
  nested((inner) => ({ inner })),
  JSON.parse('{"__proto__":{"role":"admin"},"constructor":1}'),
];

/** The part of a JSON schema from which values are drawn. */
const Node = z.looseObject({
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  example: z.unknown().optional(),
});
type Node = z.infer<typeof Node>;

const PLAIN: Readonly<Record<string, (node: Node, random: Seeded) => unknown>> = {
  object: (node, random) =>
    Object.fromEntries(
      Object.entries(node.properties ?? {}).flatMap(([name, part]) =>
        node.required?.includes(name) === true || random.chance(0.5) ? [[name, draw(part, random)]] : [],
      ),
    ),
  array: (node, random) => {
    const length = random.one([0, 1, 2, Math.min(node.maxItems ?? 3, 40), Math.min((node.maxItems ?? 3) + 1, 41)]) ?? 0;
    const item = draw(node.items ?? {}, random);
    return Array.from({ length }, () => (random.chance(0.5) ? item : draw(node.items ?? {}, random)));
  },
  string: (node, random) =>
    random.one([
      node.example ?? 'ada',
      'ada',
      'hello',
      'a'.repeat(Math.min(node.maxLength ?? 10, MANY)),
      'a'.repeat(Math.min((node.maxLength ?? 10) + 1, MANY)),
      '1',
      '2026-11-23T00:00:00Z',
    ]),
  number: ({ minimum = -10, maximum = 10 }, random) =>
    random.one([minimum, maximum, minimum - 1, maximum + 1, 0, 1, (minimum + maximum) / 2]),
  boolean: (_node, random) => random.chance(0.5),
  null: () => null,
};

/** The choices of a schema: one constant, values, or branches of a union; null if it has none. */
function choiceOf(node: Node, random: Seeded): (() => unknown) | null {
  if (node.const !== undefined) return () => node.const;
  if (node.enum !== undefined) return () => random.one(node.enum ?? []);
  const branches = node.anyOf ?? node.oneOf ?? node.allOf;
  return branches === undefined ? null : () => draw(random.one(branches), random);
}

/** Draws a value near a JSON schema: often valid or just invalid, sometimes extreme. */
function draw(schema: unknown, random: Seeded): unknown {
  const parsed = Node.safeParse(schema);
  if (!parsed.success || random.chance(EXTREME_CHANCE / 3)) return random.one(EXTREMES);
  const choice = choiceOf(parsed.data, random);
  if (choice !== null) return choice();
  const type = [parsed.data.type].flat()[0] ?? '';
  const plain = PLAIN[type === 'integer' ? 'number' : type];
  return plain === undefined ? random.one(EXTREMES) : plain(parsed.data, random);
}

/** Draws values for a schema of the contract, so that tests cover new routes and messages without a change. */
export function extremeValues(schema: z.ZodType): (random: Seeded) => unknown {
  const json: unknown = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    cycles: 'ref',
  });
  return (random) => (random.chance(EXTREME_CHANCE / 10) ? random.one(EXTREMES) : draw(json, random));
}

export function anyExtreme(random: Seeded): unknown {
  return random.one(EXTREMES);
}
