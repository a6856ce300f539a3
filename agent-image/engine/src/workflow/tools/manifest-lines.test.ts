/** Tools from the YAML of a folder: their permissions with lines, and a ToolPlan whose steps use earlier results. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import type { ToolOutcome } from '../../effects/tool-outcome.ts';
import { fillTemplate } from '../expression/fill-template.ts';
import { loadManifests } from '../manifest/load-manifests.ts';
import { executionOutput } from './execution.ts';
import { manifestLines } from './manifest-lines.ts';
import { aCallContext, aWorkspace } from './testing/a-workspace.ts';
import { nextInPlan, ToolPlan, type SettledCall } from './tool-plan.ts';
import { toolsOf } from './tools-of.ts';

const FILES: Readonly<Record<string, string>> = {
  'agents.yaml': `
models: [{ id: fast, provider: openai, name: gpt }]
agents:
  - id: editor
    instructions: Edit.
    model: fast
    tools: [read, edit]
    permissions:
      filesystem:
        read:
          - "!secret/**"
`,
  'tools.yaml': `
permissions: { filesystem: { read: ["**"] } }
tools:
  - { id: read, uses: filesystem.read_file }
  - { id: list, uses: filesystem.list }
  - id: edit
    uses: filesystem.write_file
    permissions:
      filesystem:
        write: ["out/**"]
  - { id: run, uses: command.run }
`,
  'workflow.yaml': 'workflow: { id: w, nodes: [{ id: ask, role: agent, agent: editor }] }\n',
};

const folder = testFolder('manifests');
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
const loaded = await loadManifests(folder);
const manifests = loaded.ok ? loaded.value : assert.fail(JSON.stringify(loaded.errors));
const workspace = await aWorkspace();
const lineOf = await manifestLines(folder);

async function use(agent: string | null, name: string, input: unknown): Promise<ToolOutcome> {
  const tools = toolsOf({ manifests, handlers: new Map(), workspace, agent, mode: null, lineOf });
  const prepared = tools.find((tool) => tool.name === name)?.prepare(input) ?? assert.fail(name);
  const outcome = prepared.ok ? await prepared.call.execute(aCallContext()) : prepared.outcome;
  return outcome.kind === 'parked' || outcome.kind === 'needs_permission' ? assert.fail(outcome.kind) : outcome;
}

test('a denial names the line of the entry, of the list, or of the place where one is missing', async () => {
  const textOf = async (...call: Parameters<typeof use>): Promise<string> => {
    const outcome = await use(...call);
    return outcome.kind === 'denied' ? outcome.text : JSON.stringify(outcome);
  };
  assert.match(
    await textOf('editor', 'read', { path: 'secret/a' }),
    /"!secret\/\*\*" in agents\.yaml:11 \(agents\[0\]\./,
  );
  assert.match(await textOf(null, 'edit', { path: 'src/a', content: '' }), /no entry of tools\.yaml:10 \(tools\[2\]\./);
  assert.match(
    await textOf(null, 'run', { argv: ['ls'] }),
    /no manifest states shell\.allow\. Add it to tools\.yaml:11 /,
  );
  assert.equal((await manifestLines(testFolder('none')))('tools.yaml', ['tools']), null);
});

test('steps of a ToolPlan use earlier results by expressions', async () => {
  const plan = ToolPlan.parse([
    { tool_name: 'edit', arguments: { path: 'out/a.txt', content: 'one' } },
    { tool_name: 'list', arguments: { path: 'out' }, result_field: 'files' },
    { tool_name: 'read', arguments: { path: "='out/' + input.files.entries[0].name" }, result_field: 'file' },
    { tool_name: 'edit', arguments: { path: 'out/b.txt', content: '=input.file.content' } },
    { tool_name: 'edit', arguments: { path: 'out/c.txt', content: '=input.missing.content' }, on_error: 'continue' },
  ]);
  const fill = (template: unknown, results: Readonly<Record<string, unknown>>) =>
    fillTemplate(template, { input: results });
  const settled: SettledCall[] = [];
  let move = nextInPlan(plan, settled, fill);
  for (; move.kind === 'call'; move = nextInPlan(plan, settled, fill)) {
    const { step, tool_name: name, arguments: input } = move.input;
    settled.push({ step, output: executionOutput(await use(null, name, input), null) });
  }
  assert.ok(move.kind === 'done', JSON.stringify(move));
  const { steps, results } = move.output;
  assert.deepEqual(
    steps.map(({ code }) => code),
    [null, null, null, null, 'bad_template'],
  );
  assert.deepEqual(
    steps.flatMap(({ mutations }) => mutations.map(({ path }) => path)),
    ['out/a.txt', 'out/b.txt'],
  );
  assert.equal((results['file'] as { content: string }).content, 'one');
});
