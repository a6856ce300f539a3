/** The undamaged documents: what models write as arguments of tools, decisions and answers, each with its schema. */
import type { Seeded } from '@hamlet/test/env/seeded';

export interface Source {
  readonly value: unknown;
  readonly schema: Readonly<Record<string, unknown>>;
}

const WORDS =
  'bread flour oven river miller village harvest price guest ledger market winter road bridge notice repair'.split(' ');
const NAMES = ['Ada Miller', "Sean O'Neil", 'Zoë Brandt', '李雷', 'Grace', 'D’Arcy', 'Bob "the baker" Stone'];
const SENTENCES = [
  'The oven is cold, so nobody bakes.',
  'She said "come at noon" and left.',
  "It's the miller's turn; don't wait.",
  'Costs: flour 3, salt 1 (see the ledger).',
  'First line\nsecond line\n\nfourth line',
  'Use {name} as a placeholder, e.g. {"name": "Ada"}.',
  'Weiß, señor, naïve — 東京 🥖',
  'A\ttab and a "quoted, word" in it',
  'Is it done? Yes: 100 %!',
  '',
];
const COMMANDS = [
  'ls -la /tmp && echo done',
  'grep -rn "import" src | head -5',
  "awk '{print $1}' access.log | sort | uniq -c",
  'git commit -m "fix: handle it"',
  'for f in *.txt; do\n  echo "$f"\ndone',
  'curl -s https://example.org/a?b=1 | jq .items',
];
const CODE = [
  'import re\n\ndef main():\n    print("hello")\n',
  'const a = { b: [1, 2] };\nconsole.log(`${a.b}`);\n',
  '# Title\n\n- one\n- two\n\n```sh\nmake up\n```\n',
  '{"nested": true}\n',
  'body { color: red; }\n/* note */\n',
];
const DIRS = ['Users', 'data', 'new', 'bin', 'reports', 'temp', 'Program Files', 'work', 'files', 'dist'];
const PATTERNS = ['^\\d+$', '\\bword\\b', '(\\w+)\\s*=\\s*(\\S+)', '\\.tsx?$', '[^\\[\\]]+', '^\\s*#'];

const words = (rng: Seeded, count: number): string =>
  Array.from({ length: count }, () => rng.one(WORDS) ?? '').join(' ');
const integer = (rng: Seeded, most: number): number => Math.floor(rng.between(0, most));
const listOf = <T>(rng: Seeded, [low, high]: readonly [number, number], make: () => T): readonly T[] =>
  Array.from({ length: Math.floor(rng.between(low, high + 1)) }, make);
const sentence = (rng: Seeded): string => rng.one(SENTENCES) ?? '';
const windowsPath = (rng: Seeded): string =>
  `${rng.one(['C', 'D', 'c']) ?? 'C'}:\\${listOf(rng, [2, 4], () => rng.one(DIRS) ?? '').join('\\')}\\${rng.one(WORDS) ?? ''}.txt`;
/** A number that JavaScript cannot represent exactly, or one that it can. */
const longId = (rng: Seeded): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(`9${integer(rng, 1e9)}${integer(rng, 1e9)}7`);

const text = { type: 'string' };
const whole = { type: 'integer' };
const number = { type: 'number' };
const flag = { type: 'boolean' };
const list = (items: object): object => ({ type: 'array', items });
const object = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []): Source['schema'] => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

type Template = (rng: Seeded) => Source;

const shell: Template = (rng) => ({
  value: {
    command: rng.one(COMMANDS),
    timeout_s: integer(rng, 600),
    background: rng.chance(0.5),
    env: { LANG: 'C.UTF-8', NAME: rng.one(NAMES) },
  },
  schema: object({
    command: text,
    timeout_s: whole,
    background: flag,
    env: { type: 'object', additionalProperties: text },
  }),
});

const writeFile: Template = (rng) => ({
  value: {
    path: `/srv/${rng.one(WORDS)}/${rng.one(WORDS)}.md`,
    content: rng.one(CODE),
    mode: '0644',
    overwrite: rng.chance(0.5),
  },
  schema: object({ path: text, content: text, mode: text, overwrite: flag }),
});

const editFile: Template = (rng) => ({
  value: {
    path: `src/${rng.one(WORDS)}.ts`,
    edits: listOf(rng, [1, 3], () => ({ old: rng.one(CODE), new: sentence(rng), all: rng.chance(0.5) })),
    dry_run: rng.chance(0.5),
  },
  schema: object({ path: text, edits: list(object({ old: text, new: text, all: flag })), dry_run: flag }),
});

const decision: Template = (rng) => ({
  value: {
    option: rng.one(['stay', 'go:library', 'talk:bob']),
    text: rng.chance(0.5) ? null : sentence(rng),
    why: sentence(rng),
    plan: listOf(rng, [1, 3], () => ({ at: `${10 + integer(rng, 10)}:30`, goal: words(rng, 4) })),
  },
  schema: object({
    option: { type: 'string', enum: ['stay', 'go:library', 'talk:bob'] },
    text: { type: ['string', 'null'] },
    why: text,
    plan: list(object({ at: text, goal: text })),
  }),
});

const config: Template = (rng) => ({
  value: {
    server: { host: '0.0.0.0', port: integer(rng, 65_000), tls: { enabled: rng.chance(0.5), cert: '/etc/tls/a.pem' } },
    limits: { rate: rng.one([0.5, 1.25, 1e-7, 30]), burst: integer(rng, 100), note: sentence(rng) },
    features: listOf(rng, [0, 3], () => rng.one(WORDS)),
    parent: null,
    version: rng.one(['1.10', '2.0', '10.4']),
  },
  schema: object({
    server: object({ host: text, port: whole, tls: object({ enabled: flag, cert: text }) }),
    limits: object({ rate: number, burst: whole, note: text }),
    features: list(text),
    parent: { type: ['string', 'null'] },
    version: text,
  }),
});

const records: Template = (rng) => ({
  value: listOf(rng, [2, 4], () => ({
    id: integer(rng, 1e6),
    name: rng.one(NAMES),
    tags: listOf(rng, [0, 3], () => rng.one(WORDS)),
    score: Number(rng.between(-10, 10).toFixed(2)),
    active: rng.chance(0.5),
  })),
  schema: list(object({ id: whole, name: text, tags: list(text), score: number, active: flag })) as Source['schema'],
});

const copy: Template = (rng) => ({
  value: { from: windowsPath(rng), to: windowsPath(rng), recursive: rng.chance(0.5), note: words(rng, 3) },
  schema: object({ from: text, to: text, recursive: flag, note: text }),
});

const search: Template = (rng) => ({
  value: {
    pattern: rng.one(PATTERNS),
    query: words(rng, 3),
    filters: { after: '2026-01-05', kinds: listOf(rng, [1, 3], () => rng.one(WORDS)) },
    limit: integer(rng, 50),
    cursor: null,
  },
  schema: object({
    pattern: text,
    query: text,
    filters: object({ after: text, kinds: list(text) }),
    limit: whole,
    cursor: { type: ['string', 'null'] },
  }),
});

const payment: Template = (rng) => ({
  value: {
    order_id: longId(rng),
    amount: Number(rng.between(1, 500).toFixed(2)),
    currency: 'EUR',
    lines: listOf(rng, [1, 3], () => ({ item: rng.one(WORDS), count: integer(rng, 9), paid: rng.chance(0.5) })),
  },
  schema: object({
    order_id: whole,
    amount: number,
    currency: text,
    lines: list(object({ item: text, count: whole, paid: flag })),
  }),
});

const report: Template = (rng) => ({
  value: {
    title: rng.one(NAMES),
    summary: sentence(rng),
    sections: listOf(rng, [1, 3], () => ({
      heading: words(rng, 2),
      body: sentence(rng),
      sources: listOf(rng, [0, 2], () => `https://example.org/${rng.one(WORDS)}#part`),
    })),
    done: rng.chance(0.5),
  },
  schema: object({
    title: text,
    summary: text,
    sections: list(object({ heading: text, body: text, sources: list(text) })),
    done: flag,
  }),
});

const shape: Template = (rng) => ({
  value: {
    type: 'Polygon',
    coordinates: listOf(rng, [1, 2], () =>
      listOf(rng, [2, 4], () => [integer(rng, 90), Number(rng.next().toFixed(3))]),
    ),
    properties: { name: rng.one(NAMES), area: { value: integer(rng, 500), unit: 'm²' }, label: '' },
  },
  schema: object({
    type: text,
    coordinates: list(list(list(number))),
    properties: object({ name: text, area: object({ value: number, unit: text }), label: text }),
  }),
});

const TEMPLATES: readonly Template[] = [
  shell,
  writeFile,
  editFile,
  decision,
  config,
  records,
  copy,
  search,
  payment,
  report,
  shape,
];

/** One object for each schema, so that a validator compiles it once. */
const schemas = new Map<string, Source['schema']>();

export function sourceOf(rng: Seeded): Source {
  const { value, schema } = (rng.one(TEMPLATES) ?? shell)(rng);
  const text = JSON.stringify(schema);
  const kept = schemas.get(text) ?? schema;
  schemas.set(text, kept);
  return { value, schema: kept };
}
