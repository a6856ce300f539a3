import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { compilePlan } from '../plan/compile-plan.ts';
import { BREAKS, randomWorkflow } from '../testing/random-workflow.ts';
import { SAMPLE_MANIFESTS } from '../testing/sample-manifests.ts';
import { readManifests } from './read-manifests.ts';
import type { Manifests } from './manifests.ts';

const ONE_NODE = 'workflow: { id: one, nodes: [{ id: a, role: linear }] }\n';

function read(files: Readonly<Record<string, string>>): Manifests {
  const result = readManifests(new Map(Object.entries(files)));
  return result.ok ? result.value : assert.fail(JSON.stringify(result.errors, null, 1));
}

/** Errors as `code file «text at their place» path: message | hint`. */
function errors(files: Readonly<Record<string, string>>): readonly string[] {
  const result = readManifests(new Map(Object.entries(files)));
  if (result.ok) return [];
  return result.errors.map(({ code, file, line, column, path, message, hint }) => {
    const text = (files[file] ?? '').split('\n')[line - 1] ?? '';
    return `${code} ${file} «${text.slice(column - 1, column + 11)}» ${path}: ${message} | ${hint}`;
  });
}

/** The errors of the sample with one text changed. */
function changed(file: string, from: string, to: string): readonly string[] {
  const text = SAMPLE_MANIFESTS.get(file) ?? assert.fail(file);
  assert.equal(text.split(from).length, 2, `'${from}' must stand once in ${file}`);
  return errors({ ...Object.fromEntries(SAMPLE_MANIFESTS), [file]: text.replace(from, () => to) });
}

test('the sample is read, with its defaults, and each of its pipelines compiles', () => {
  const manifests = read(Object.fromEntries(SAMPLE_MANIFESTS));
  assert.deepEqual(manifests.agents[0]?.tools, ['read']);
  assert.equal(manifests.tools[0]?.risk, 'low');
  assert.deepEqual(manifests.context_profiles[0]?.sources, ['memory', 'task']);
  for (const { id } of manifests.pipelines) assert.equal(compilePlan(manifests, id).ok, true, id);
});

test('one node suffices: other files are empty, and there is one pipeline', () => {
  const manifests = read({ 'workflow.yaml': ONE_NODE });
  assert.deepEqual(manifests.pipelines, [{ id: 'default', modes: [], tags: [], score: 0, stages: {} }]);
  assert.deepEqual(manifests.stores, { root: 'memory' });
  assert.deepEqual(read({ 'workflow.yaml': ONE_NODE, 'tools.yaml': '# nothing yet\n' }).tools, []);
});

test('an unknown key is refused at its place, with the nearest known one', () => {
  assert.deepEqual(changed('agents.yaml', 'instructions:', 'instructons:'), [
    "config_schema agents.yaml «id: critic» agents[0].instructions: 'instructions' is missing | Add 'instructions' (string).",
    "config_unknown_key agents.yaml «instructons:» agents[0].instructons: there is no key 'instructons' here | Did you mean 'instructions'?",
  ]);
  assert.deepEqual(changed('workflow.yaml', 'when: "output.score', 'wehn: "output.score'), [
    `config_unknown_key workflow.yaml «wehn: "outpu» workflow.edges[1].wehn: there is no key 'wehn' here | Did you mean 'when'?`,
  ]);
  assert.deepEqual(changed('workflow.yaml', 'role: tool, tool: read', 'role: tool, tool: read, agnt: critic'), [
    "config_unknown_key workflow.yaml «agnt: critic» workflow.nodes[0].agnt: there is no key 'agnt' here | The keys here are id, description, role, tool, tool_plan, input, retry, timeout_s, decides.",
  ]);
  assert.deepEqual(changed('plugins.yaml', 'endpoint:', 'end_point:'), [
    "config_schema plugins.yaml «{ type: otlp» telemetry.sinks[2].endpoint: 'endpoint' is missing | Add 'endpoint' (string).",
    `config_unknown_key plugins.yaml «end_point: "» telemetry.sinks[2].end_point: there is no key 'end_point' here | Did you mean 'endpoint'?`,
  ]);
});

test('a key that a known one begins with, and a key of a model in the file, are refused with the known one', () => {
  assert.deepEqual(changed('tools.yaml', 'timeout_s:', 'timeout:'), [
    "config_unknown_key tools.yaml «timeout: 10 » tools[0].timeout: there is no key 'timeout' here | Did you mean 'timeout_s'?",
  ]);
  const [unknown] = changed('agents.yaml', 'api_key_env:', 'api_key:');
  assert.match(unknown ?? '', /there is no key 'api_key' here \| Did you mean 'api_key_env'\?$/);
  const [secret] = changed('agents.yaml', 'api_key_env: OPENAI_API_KEY', 'api_key_env: sk-1');
  assert.match(secret ?? '', /expected the name of an environment variable, .* stays out of manifests/);
});

test('wrong values are refused at their place', () => {
  assert.deepEqual(changed('agents.yaml', 'money: "0.5"', 'money: 0.5'), [
    'config_schema agents.yaml «0.5 }» agents[0].budget.money: expected string, received number | Put it in quotes if it is a text.',
  ]);
  assert.deepEqual(changed('workflow.yaml', '{ id: ship, role: linear }', '{ id: ship, role: liner }'), [
    `config_schema workflow.yaml «liner }» workflow.nodes[3].role: "liner" is not one of the known values | Did you mean 'linear'?`,
  ]);
  assert.deepEqual(changed('workflow.yaml', 'category: tool', 'category: tols'), [
    `config_schema workflow.yaml «tols, role: » workflow.fallbacks[0].category: "tols" is not one of the known values | Did you mean 'tool'?`,
  ]);
  assert.deepEqual(changed('workflow.yaml', 'merge: reduce, ', ''), [
    'config_schema workflow.yaml «{ id: end, r» workflow.nodes[4]: a merge has an output if, and only if, it is merge: reduce | null',
  ]);
  assert.deepEqual(changed('pipelines.yaml', '[node, {', '[{'), [
    `config_schema pipelines.yaml «[{ id: look,» pipelines[0].stages.tool: a sequence has 'node', which stands for the node itself, exactly once | null`,
  ]);
  assert.deepEqual(changed('agents.yaml', 'http://127.0.0.1', 'http://me:secret@127.0.0.1'), [
    'config_schema agents.yaml «http://me:se» models[0].base_url: an address has no password: keys come from the environment | null',
  ]);
});

test('a model has a known provider, with an address if the provider has none of its own', () => {
  assert.deepEqual(changed('agents.yaml', 'provider: openai', 'provider: opnai'), [
    `config_schema agents.yaml «opnai» models[0].provider: "opnai" is not one of the known values | Did you mean 'openai'?`,
  ]);
  const local = 'provider: vllm\n    name: local # ';
  assert.deepEqual(changed('agents.yaml', 'provider: openai\n    name: gpt-5-mini\n    base_url:', local), [
    'config_schema agents.yaml «id: fast» models[0]: this provider has no address of its own: add base_url | null',
  ]);
});

test('JSON Schemas that cannot be used, or whose patterns could run for hours, are refused', () => {
  assert.deepEqual(changed('agents.yaml', '{ type: integer }', '{ type: whole }'), [
    'config_schema agents.yaml «whole } }, r» agents[0].output.properties.score.type: type has a value of the wrong type | Write array, boolean, integer, null, number, object or string, or a list of them.',
  ]);
  assert.deepEqual(changed('tools.yaml', '{ type: string }', '{ type: string, pattern: "(a+)+b" }'), [
    'config_schema tools.yaml «"(a+)+b" } }» tools[1].input.properties.text.pattern: the keyword pattern is refused | Use enum, const or maxLength.',
  ]);
  assert.deepEqual(changed('tools.yaml', '{ text: { type: string } }', '{ pattern: { type: string } }'), []);
});

test('JSON Schemas that refer to themselves, or so often to their parts that a check takes years, are refused', () => {
  const withSchema = (schema: unknown): readonly string[] =>
    changed(
      'agents.yaml',
      '{ type: object, properties: { score: { type: integer } }, required: [score] }',
      JSON.stringify(schema),
    );
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { allOf: [next, next] }];
    }),
  );
  const $defs = { ...doubled, d40: { type: 'string' } };
  const [often] = withSchema({ $ref: '#/$defs/d0', $defs });
  assert.match(often ?? '', /refers to itself, or too often to its parts/);
  const [tree] = withSchema({ properties: { child: { $ref: '#' } } });
  assert.match(tree ?? '', /refers to itself, or too often to its parts/);
  assert.deepEqual(
    withSchema({ $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/b' } }, b: {} } }),
    [],
  );
  assert.match(withSchema({ $id: 'x' })[0] ?? '', /the keyword \$id is refused/);
  const [outside] = withSchema({ $ref: 'http://example.org/s' });
  assert.match(outside ?? '', /output.\$ref: the reference does not resolve/);
});

test('ids that no manifest has are refused, with the nearest known one', () => {
  assert.deepEqual(changed('agents.yaml', 'tools: [read]', 'tools: [raed]'), [
    "config_reference agents.yaml «raed]» agents[0].tools[0]: there is no tool 'raed' | Did you mean 'read'? Else add it to tools.yaml.",
  ]);
  assert.deepEqual(changed('agents.yaml', 'model: fast', 'model: big'), [
    "config_reference agents.yaml «big» agents[0].model: there is no model 'big' | Add it to agents.yaml.",
  ]);
  assert.deepEqual(changed('agents.yaml', 'context: short', 'context: long'), [
    "config_reference agents.yaml «long» agents[0].context: there is no profile 'long' | Add it to memory.yaml.",
  ]);
  assert.deepEqual(
    changed('workflow.yaml', '{ id: draft, role: agent, agent: critic }', '{ id: draft, role: agent, agent: crtic }'),
    [
      "config_reference workflow.yaml «crtic }» workflow.nodes[6].agent: there is no agent 'crtic' | Did you mean 'critic'? Else add it to agents.yaml.",
    ],
  );
  assert.deepEqual(changed('overrides.yaml', '[publish]', '[post]'), [
    "config_reference overrides.yaml «post] }» overrides[1].tools[0]: there is no tool 'post' | Add it to tools.yaml.",
  ]);
  assert.deepEqual(changed('pipelines.yaml', '{ id: look, role: linear }', '{ id: look, role: tool, tool: look }'), [
    "config_reference pipelines.yaml «look }] } }» pipelines[0].stages.tool[1].tool: there is no tool 'look' | Add it to tools.yaml.",
  ]);
  assert.deepEqual(changed('pipelines.yaml', 'id: plain', 'id: full'), [
    "config_duplicate pipelines.yaml «full }» pipelines[1].id: there is another 'full' in pipelines | Give each entry an id of its own.",
  ]);
});

test('without models of its own, an agent uses any model by its name', () => {
  const agents = 'agents: [{ id: a, instructions: Work., model: the-village-model }]';
  assert.deepEqual(errors({ 'workflow.yaml': ONE_NODE, 'agents.yaml': agents }), []);
});

test('a workflow that cannot be carried out is refused at the line of its node or edge', () => {
  assert.deepEqual(changed('workflow.yaml', '{ from: fix, to: end }', '{ from: fix, to: judge }'), [
    "config_dag workflow.yaml «{ id: end, r» workflow.nodes[4]: 'end' merges fewer than two edges | Add edges to it, or make it a linear node.",
    'config_dag workflow.yaml «{ from: fix,» workflow.edges[3]: the edges form a cycle: judge → fix → judge | Remove one of these edges; for work in rounds use a feedback node.',
  ]);
  const extra = '{ id: judge.late, role: linear }';
  assert.deepEqual(changed('pipelines.yaml', 'tool: [node, { id: look, role: linear }]', `agent: [node, ${extra}]`), [
    "config_dag pipelines.yaml «[node, { id:» pipelines[0].stages.agent: a stage would stand between 'draft' and the feedback node that reviews it | Move 'node' within the sequence, or leave this role out.",
  ]);
});

test('expressions that cannot be compiled, or that name unknown stages, are refused', () => {
  const [syntax] = changed('workflow.yaml', 'output.score < 3', 'output.score <');
  assert.match(syntax ?? '', /^config_expression workflow.yaml «"output.scor» workflow.edges\[1\].when: /);
  const [stage] = changed('workflow.yaml', '=task.input.path', '=stages.nowhere.output');
  assert.match(
    stage ?? '',
    /^config_expression workflow.yaml «"=stages.now» workflow.nodes\[0\].input.path: .*nowhere/,
  );
  assert.deepEqual(changed('workflow.yaml', '=task.input.path', "=stages['fetch.look'].output.path"), []);
});

test('the errors of all files come at once, in the order of files and lines, at most 100', () => {
  const bad = (key: string): string => `${key}: 1\n`;
  const found = errors({
    'plugins.yaml': bad('plugin'),
    'agents.yaml': bad('agent'),
    'tools.yaml': '[',
    'stage.yaml': '',
  });
  assert.deepEqual(
    found.map((line) => line.split(' ').slice(0, 2).join(' ')),
    [
      'config_file stage.yaml',
      'config_unknown_key agents.yaml',
      'config_syntax tools.yaml',
      'config_file workflow.yaml',
      'config_unknown_key plugins.yaml',
    ],
  );
  const nodes = Array.from({ length: 400 }, (_, index) => `{ id: N${index}, role: linear }`).join(', ');
  assert.equal(errors({ 'workflow.yaml': `workflow: { id: many, nodes: [${nodes}] }` }).length, 100);
});

test('random workflows are read from YAML, and those broken in one way are refused with its code', (t) => {
  const seed = seedOf();
  t.diagnostic(`SEED=${seed}`);
  const dice = diceOf(seed);
  const others = {
    'agents.yaml': 'agents: [{ id: worker, instructions: W, model: m }, { id: critic, instructions: C, model: m }]',
    'tools.yaml': 'tools: [{ id: read, uses: filesystem.read_file }]',
  };
  for (const [code, broken] of Object.entries(BREAKS)) {
    const flow = randomWorkflow(dice);
    assert.deepEqual(errors({ ...others, 'workflow.yaml': stringify({ workflow: flow }) }), []);
    broken(flow, dice);
    const result = readManifests(
      new Map(Object.entries({ ...others, 'workflow.yaml': stringify({ workflow: flow }) })),
    );
    assert.deepEqual(result.ok || [...new Set(result.errors.map(({ problem }) => problem))], [code]);
  }
});

test('1,000 nodes are read and checked', (t) => {
  const nodes = Array.from({ length: 1_000 }, (_, index) => `    - { id: n${index}, role: agent, agent: worker }\n`);
  const edges = nodes.slice(1).map((_, index) => `    - { from: n${index}, to: n${index + 1} }\n`);
  const workflow = `workflow:\n  id: large\n  nodes:\n${nodes.join('')}  edges:\n${edges.join('')}`;
  const agents = 'agents: [{ id: worker, instructions: W, model: m }]';
  const times = Array.from({ length: 3 }, () => {
    const started = performance.now();
    read({ 'workflow.yaml': workflow, 'agents.yaml': agents });
    return performance.now() - started;
  });
  t.diagnostic(`validate1000NodesMs: first ${times[0]?.toFixed(0)}, best ${Math.min(...times).toFixed(0)}`);
});
