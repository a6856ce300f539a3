import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seeded, seeds } from '@hamlet/test/env/seeded';
import { z } from 'zod';
import { repairAndValidate, type Repaired } from './repair-and-validate.ts';

const SHELL = {
  type: 'object',
  required: ['command', 'seconds'],
  properties: {
    command: { type: 'string' },
    seconds: { type: 'integer' },
    files: { type: 'array', items: { type: 'string' } },
    kind: { enum: ['Fast', 'slow'] },
    limit: { type: 'integer', default: 10 },
    at: { type: 'object', properties: { x: { type: 'number' } }, additionalProperties: false },
  },
  additionalProperties: false,
};

const shown = (read: Repaired<unknown>): string => (read.ok ? JSON.stringify(read.value) : read.code);

/** Texts, the values that they mean, and the actions that find them. */
const MEANT: readonly (readonly [string, string, string])[] = [
  ['{"a":1}', '{"a":1}', ''],
  ['{"a":1,}', '{"a":1}', 'commas_removed'],
  ['{"a":1,,"b":2}', '{"a":1,"b":2}', 'commas_removed'],
  [
    "{'a': 'it's', 'b': True, 'c': None}",
    '{"a":"it\'s","b":true,"c":null}',
    'quotes_replaced,inner_quotes_kept,literals_replaced',
  ],
  ['{a: 1, b: hello}', '{"a":1,"b":"hello"}', 'quotes_added'],
  ['{“a”: “b”}', '{"a":"b"}', 'quotes_replaced'],
  ['{"a": """x\ny "q" z"""}', '{"a":"x\\ny \\"q\\" z"}', 'quotes_replaced'],
  ['```json\n{"a": 1}\n```', '{"a":1}', 'taken_from_text,taken_from_fence'],
  ['<think>{"no":1}</think>Here [it] is: {"a":[1]} ok?', '{"a":[1]}', 'removed_thoughts,taken_from_text'],
  ['so {"no":1}</think>{"a":1}', '{"a":1}', 'removed_thoughts'],
  ['{"a": "C:\\dir\\new"}', '{"a":"C:\\\\dir\\\\new"}', 'backslashes_kept'],
  ['{"a": "^\\d+\\s$"}', '{"a":"^\\\\d+\\\\s$"}', 'backslashes_kept'],
  ['{"a": "line\nnext"}', '{"a":"line\\nnext"}', 'control_characters_kept'],
  ['{"a": "say "hi" now", "b": 1}', '{"a":"say \\"hi\\" now","b":1}', 'inner_quotes_kept'],
  ['{"a":"x"\n"b":2}', '{"a":"x","b":2}', 'commas_added'],
  ['{"a" 1}', '{"a":1}', 'colons_added'],
  ['{"a":{"b":1}', '{"a":{"b":1}}', 'brackets_added'],
  ['{"a":"x"', '{"a":"x"}', 'brackets_added'],
  ['{\n  "a": {\n    "x": 1\n  "b": 2\n}', '{"a":{"x":1},"b":2}', 'commas_added,brackets_added'],
  ['{"a":[1,2,"b":3}', '{"a":[1,2],"b":3}', 'brackets_added'],
  ['{"a":{"x":1}},"b":2}', '{"a":{"x":1},"b":2}', 'brackets_removed'],
  ['{"a":[{"x":[1}}],"b":2}', '{"a":[{"x":[1]}],"b":2}', 'brackets_replaced'],
  ['"a": 1, "b": 2}', '{"a":1,"b":2}', 'brackets_added'],
  ['{"a":1},{"a":2}]', '[{"a":1},{"a":2}]', 'brackets_added'],
  ['{"a": hello", "b": "x"}', '{"a":"hello","b":"x"}', 'quotes_added'],
  ['{"a": "hello, "b": "x"}', '{"a":"hello","b":"x"}', 'quotes_added'],
  ['{"a: 1, "b": 2}', '{"a":1,"b":2}', 'quotes_added'],
  ['{"a": "x" + "y"}', '{"a":"xy"}', 'texts_joined'],
  ['// all\n{"a":1 /* one */} # end', '{"a":1}', 'taken_from_text,comments_removed'],
  ['{\\"a\\": \\"x \\\\\\"y\\\\\\"\\"}', '{"a":"x \\"y\\""}', 'unescaped'],
  ['"{\\"a\\":1}"', '{"a":1}', 'decoded_text'],
  ['{&quot;a&quot;: 1}', '{"a":1}', 'decoded_entities'],
  ['{"a": .5, "b": +1, "c": 1_000}', '{"a":0.5,"b":1,"c":1000}', 'numbers_rewritten'],
  ['{"a":1} and again {"a": 1}', '{"a":1}', 'taken_from_text'],
  ['{"n":12345678901234567890}', '{"n":12345678901234567890}', ''],
  [
    '{"n":12345678901234567890,"__proto__":{"x":1},}',
    '{"n":12345678901234567890,"__proto__":{"x":1}}',
    'commas_removed',
  ],
];

test('a text that has one certain meaning is read, and the repair says how', () => {
  for (const [raw, value, actions] of MEANT) {
    const read = repairAndValidate(raw);
    assert.equal(shown(read), value, raw);
    assert.equal(read.repair.actions.join(), actions, raw);
    assert.equal(read.repair.category, actions === '' ? null : 'JSON_SYNTAX_ERROR');
  }
});

test('a text that lost information, or has two meanings, is refused with the place', () => {
  for (const [raw, error] of [
    ['', /there is no JSON document at line 1/],
    ['I cannot do that.', /there is no JSON document/],
    ['{"a": NaN}', /NaN is not a value of JSON at line 1, column 7/],
    ['{"a": [1, 2, ...]}', /column 14/],
    ['{"a":\n 007}', /line 2, column 2/],
    ['[1,,2]', /an element of a list is missing/],
    ['{"a":1', /ends within a value/],
    ['{"a":1,', /ends after a comma/],
    ['{"a":"x', /does not end/],
    ['{"a":{"b":[{"c":"x"', /cut/],
    ['{"a":{"x":1,"b":2}', /several places are possible/],
    ['{"a":1} {"b":2}', /several JSON documents/],
    ['{"a":1,"a":2,}', /has two values/],
    ['{"a":"x", y", "b": "z",}', /quotes inside|name/],
    ['<think>maybe {"a":1}', /within a thought/],
    ['['.repeat(40), /levels|value is missing/],
    [`${'['.repeat(33)}${']'.repeat(33)}`, /32 levels/],
  ] as const) {
    const read = repairAndValidate(raw);
    assert.match(read.ok ? JSON.stringify(read.value) : read.error, error, raw);
    assert.equal(shown(read), 'JSON_SYNTAX_ERROR', raw);
  }
  assert.ok(repairAndValidate('{"a":"x"').ok);
  assert.equal(shown(repairAndValidate('{"a":"x"', undefined, { isCut: true })), 'JSON_SYNTAX_ERROR');
});

test('a schema decides what a value means, without loss', () => {
  const whole = (fields: string): string => `{"command":"ls","seconds":5,${fields}"limit":10}`;
  for (const [raw, value, actions] of [
    ['{"command":"ls","seconds":"5"}', whole(''), 'text_to_number,default_added'],
    ['{"command":5.10,"seconds":5}', '{"command":"5.10","seconds":5,"limit":10}', 'number_to_text,default_added'],
    ['{"command":"ls","seconds":5,"files":"[\\"a\\"]"}', whole('"files":["a"],'), 'text_to_list,default_added'],
    ['{"command":"ls","seconds":5,"files":"a"}', whole('"files":["a"],'), 'wrapped_in_list,default_added'],
    ['{"Command":"ls","seconds":5,"files":null}', whole(''), 'key_renamed,null_dropped,default_added'],
    ['{"command":"ls","seconds":5,"kind":"fast"}', whole('"kind":"Fast",'), 'case_changed,default_added'],
    [
      '{"command":"ls","at":{"x":1,"seconds":5}',
      '{"command":"ls","at":{"x":1},"seconds":5,"limit":10}',
      'brackets_added,default_added',
    ],
    ['"{\\"command\\":\\"ls\\",\\"seconds\\":5,}"', whole(''), 'decoded_text,commas_removed,default_added'],
    ['{"command":"x"} {"command":"ls","seconds":5}', whole(''), 'taken_from_text,default_added'],
    [
      '{"command":"ls","seconds":90071992547409930,"limit":1}',
      '{"command":"ls","seconds":90071992547409930,"limit":1}',
      '',
    ],
    ['{"command":"ls"}', 'JSON_SCHEMA_MAJOR_MISMATCH', 'default_added'],
    ['[1]', 'JSON_SCHEMA_MAJOR_MISMATCH', ''],
    ['{"command":"ls","seconds":5,"x":1}', 'JSON_SCHEMA_MINOR_MISMATCH', 'default_added'],
    ['{"command":"ls","seconds":"soon"}', 'JSON_SCHEMA_MINOR_MISMATCH', 'default_added'],
    ['{"command":"ls","seconds":5,"files":"a, b"}', 'JSON_SCHEMA_MINOR_MISMATCH', 'default_added'],
  ] as const) {
    const read = repairAndValidate(raw, SHELL);
    assert.equal(shown(read), value, raw);
    assert.equal(read.repair.actions.join(), actions, raw);
  }
});

test('a schema of zod works too, and its defaults and transforms apply after the repair', () => {
  const schema = z.strictObject({
    id: z.string(),
    count: z.int().default(3),
    when: z.string().transform((text) => text.length),
    mode: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), n: z.int() }),
      z.strictObject({ kind: z.literal('b'), n: z.boolean() }),
    ]),
  });
  const read = repairAndValidate(`{id: 2512292042121000001, when: "now", mode: {kind: "b", n: "true"}}`, schema);
  assert.deepEqual(read.ok && read.value, {
    id: '2512292042121000001',
    count: 3,
    when: 3,
    mode: { kind: 'b', n: true },
  });
  assert.deepEqual(read.ok && read.given, { id: '2512292042121000001', when: 'now', mode: { kind: 'b', n: true } });
  const wrong = repairAndValidate('{"id":"x","when":"now","mode":{"kind":"a"}}', schema);
  assert.deepEqual(wrong.ok || [wrong.code, wrong.error], [
    'JSON_SCHEMA_MAJOR_MISMATCH',
    'mode.n: it is missing (number)',
  ]);
});

const SCALARS = [
  '',
  'a "b" c',
  "it's",
  'C:\\new',
  '\u0000\n\t',
  '{"x": 1}',
  '```',
  '<think>',
  '…',
  0,
  -1.5e-9,
  1e21,
  true,
  null,
];

/** A random value that is not a text as a whole. */
function anyValue(rng: Seeded, levels: number): unknown {
  const size = Math.floor(rng.between(0, 4));
  if (levels === 0 || rng.chance(0.3)) return rng.one(SCALARS);
  if (rng.chance(0.5)) return Array.from({ length: size }, () => anyValue(rng, levels - 1));
  return Object.fromEntries(
    Array.from({ length: size }, (_, n) => [`${rng.one(SCALARS)}${n}`, anyValue(rng, levels - 1)]),
  );
}

/** The text with one random character more, less or other, or cut. */
function damaged(text: string, rng: Seeded): string {
  const at = Math.floor(rng.between(0, text.length));
  const char = rng.one(['"', ',', '}', ']', '{', '[', ':', '\\', "'", 'x', ' ', '\n', '1', '/', '`']) ?? '';
  return (
    rng.one([
      text.slice(0, at) + char + text.slice(at),
      text.slice(0, at) + text.slice(at + 1),
      text.slice(0, at) + char + text.slice(at + 1),
      text.slice(0, at),
    ]) ?? text
  );
}

test('valid JSON is never changed, and what a repair gives needs no other one', () => {
  for (const seed of seeds(60)) {
    const rng = new Seeded(seed);
    const value = [anyValue(rng, 4)];
    const text = JSON.stringify(value, null, rng.one([0, 2]));
    const read = repairAndValidate(text);
    assert.equal(shown(read), JSON.stringify(value), `seed ${seed}`);
    assert.equal(read.repair.category, null, `seed ${seed}`);
    for (let times = 0; times < 20; times += 1) {
      const once = repairAndValidate(damaged(damaged(text, rng), rng));
      if (!once.ok || typeof once.value === 'string') continue;
      const twice = repairAndValidate(JSON.stringify(once.value));
      assert.equal(shown(twice), JSON.stringify(once.value), `seed ${seed}`);
      assert.equal(twice.repair.category, null, `seed ${seed}`);
    }
  }
});

/** Alternatives that lead to themselves. */
const Knot = z
  .unknown()
  .refine(() => false)
  .meta({ $defs: {}, anyOf: Array.from({ length: 40 }, () => ({ $ref: '#' })), type: undefined });

test('hostile texts and schemas take a time in proportion to their length', () => {
  const shapes = [
    (n: number) => '{'.repeat(n),
    (n: number) => '{"a":'.repeat(n),
    (n: number) => `{"a": "${'x" '.repeat(n)}`,
    (n: number) => `{"a": "${'\\'.repeat(n)}`,
    (n: number) => `{"a": "x", ${'"b" '.repeat(n)}`,
    (n: number) => `{a: "b"${' '.repeat(n)}x "c${' \n'.repeat(n)}`,
    (n: number) => '<think>'.repeat(n),
    (n: number) => '```json\n{'.repeat(n),
    (n: number) => '[x] {y} '.repeat(n),
    (n: number) => `[${"'a' 'b', ".repeat(n)}`,
    (n: number) => `{"p": "${'a:\\b\\'.repeat(n)}", }`,
    (n: number) => `${'['.repeat(30)}${'1,'.repeat(n)}`,
    (n: number) => '{"a":1}'.repeat(n),
    (n: number) => `{${'\n}'.repeat(n)}`,
    (n: number) => `{\\"a\\": ${'\\n'.repeat(n)}`,
  ];
  assert.equal(shown(repairAndValidate('{"a":[[1]]}', Knot)), 'JSON_SCHEMA_MINOR_MISMATCH');
  /** Milliseconds of processor time for 200,000 characters: a quadratic algorithm would take minutes. */
  const MOST_MS = 3_000;
  for (const shape of shapes) {
    const text = shape(Math.ceil(200_000 / shape(1).length)).slice(0, 200_000);
    const from = process.cpuUsage();
    repairAndValidate(text);
    const { user, system } = process.cpuUsage(from);
    assert.ok((user + system) / 1_000 < MOST_MS, `${text.slice(0, 20)}: ${(user + system) / 1_000} ms`);
  }
});

test('a document within a sentence, or beside words that leave a doubt, is refused; one that is given as the answer is read', () => {
  const call = '{"command":"ls","seconds":5}';
  for (const raw of [
    `Do not call ${call}`,
    `Do not call:\n${call}`,
    `I would have used ${call} here.`,
    `${call}\nThis is what you must never run.`,
    `For example:\n\`\`\`json\n${call}\n\`\`\``,
    `Ruf das bitte nicht auf:\n${call}`,
    `不要调用：${call}`,
    `The call ${call} deletes all files`,
  ])
    for (const schema of [undefined, SHELL])
      assert.equal(shown(repairAndValidate(raw, schema)), 'JSON_SYNTAX_ERROR', raw);
  for (const raw of [
    `Here is the call: ${call}`,
    `Sure!\n${call}\nLet me know if you need more.`,
    `<tool_call>${call}</tool_call>`,
    `shell(${call})`,
    `Here it is:\n\`\`\`json\n${call}\n\`\`\``,
  ])
    assert.equal(shown(repairAndValidate(raw)), call, raw);
});

test('a schema that leads back to itself for the same value fits no value, and the refusal names the reference', () => {
  const loops = [
    [{ $ref: '#' }, '#/$ref'],
    [
      {
        $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } },
        properties: { x: { $ref: '#/$defs/a' } },
      },
      '#/$defs/b/$ref',
    ],
    [{ properties: { x: { not: { $ref: '#/properties/x' } } } }, '#/properties/x/not/$ref'],
  ] as const;
  for (const [schema, path] of loops) {
    const read = repairAndValidate('{"x":1}', schema);
    assert.ok(!read.ok && read.code === 'JSON_SCHEMA_MAJOR_MISMATCH', path);
    assert.ok(read.error.includes(`at ${path}:`), read.error);
  }
  const tree = {
    type: 'object',
    properties: { left: { $ref: '#' }, right: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
  };
  assert.ok(repairAndValidate('{"left":{"right":null}}', tree).ok);
});

test('up to 64 documents in fences are read, and more are refused before they cost a reading each', () => {
  const fenced = (count: number) => repairAndValidate('```json\n{"a": 1}\n```\n'.repeat(count));
  assert.equal(shown(fenced(64)), '{"a":1}');
  const refused = fenced(65);
  assert.ok(!refused.ok && refused.code === 'JSON_SYNTAX_ERROR');
  assert.match(refused.error, /too many JSON documents/);
});

test('a long list of required names is not read for each field of each element', () => {
  let reads = 0;
  const names = Array.from({ length: 200 }, (_, at) => `required ${at}`);
  const required = new Proxy(names, {
    get: (list, key, of) => {
      reads += 1;
      return Reflect.get(list, key, of);
    },
  });
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`p${at}`, { default: 0 }]));
  const elements = Array.from({ length: 200 }, () => '{}').join(',');
  const read = repairAndValidate(`[${elements}]`, { items: { type: 'object', properties, required } });
  assert.equal(read.ok, false);
  assert.ok(reads < 100_000, `${reads} reads`);
});
