/** In a real browser: the scripts of an agent in its panel, with source, runs and last result; their deletion; a shared script in a post. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { keepArtifact } from '@hamlet/contract';
import { dataOf } from '../client.ts';
import { PermissionPlay, type Working } from '../../../api/server/src/permissions/testing/permission-play.ts';
import { until } from '../until.ts';
import { visit } from '../browser.ts';
import { startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const RULES = JSON.stringify([{ tools: ['read', 'exec', 'write_inside', 'publish', 'speak'], verdict: 'allow' }]);
const SOURCE = `set -eu
# Counts the words of each file, most first.
for file in "$ARG_FOLDER"/*.md; do
  wc -w <"$file" | tr '\\n' '\\t'
  basename "$file"
done | sort -rn | head -n "$ARG_COUNT"
`;
const WORDS = {
  name: 'count-words',
  description: 'Counts the words of the Markdown files in a folder, most first',
  language: 'bash',
  source: SOURCE,
  parameters: {
    type: 'object',
    properties: { folder: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
    required: ['folder'],
  },
} as const;

let stage: ViewerStage;
let permits: PermissionPlay;
let calls = 0;
let postId = '';

before(async () => {
  stage = await startViewerStage({ kim: 'admin', environment: { HAMLET_TOOL_RULES: RULES } });
  permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
  const working = await permits.startRun('ada');
  const version = await save(working, WORDS);
  const hello = { name: 'hello', description: 'Says hello', language: 'python', source: 'print("hello")\n' };
  await save(working, hello);
  await ran(working, version);
  await share(working);
});
after(() => stage?.remove());

async function save(working: Working, args: object): Promise<string> {
  const answer = await permits.perform(working, { tool: 'save_script', callId: `${(calls += 1)}.0`, args });
  return String(dataOf(answer).outcome.data?.['version']);
}

async function begin(working: Working, tool: string, args: object): Promise<string> {
  const callId = `${(calls += 1)}.0`;
  assert.equal(await permits.begun(working, { callId, tool, args }), 'begun');
  return callId;
}

const end = (working: Working, callId: string) =>
  permits.finish(working, callId, { outcome: { kind: 'failed', code: 'script_failed', text: '' } });

async function ran(working: Working, version: string): Promise<void> {
  const args = { name: 'count-words', version, arguments: { folder: '/workspace' } };
  const { permission } = dataOf(await permits.ask(working, { tool: 'run_script', callId: `${calls + 1}.0`, args }));
  dataOf(await permits.answer(permission.permission_id, { answer: 'allow' }));
  await end(working, await begin(working, 'run_script', args));
}

/** Delivers the script, and publishes it in a post. */
async function share(working: Working): Promise<void> {
  const call_id = await begin(working, 'deliver', {
    kind: 'script',
    script: { name: 'hello', version: 'a'.repeat(32) },
  });
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(WORDS)));
  const { agentId, runId: run_id, cycle, attempt } = working;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const facts = { name: 'count-words.script.json', media_type: 'application/json', deliverable: 'script' as const };
  const sent = { params: { run_id, call_id, sha256 }, query: { cycle, attempt, ...facts }, body: bytes };
  const { artifact } = dataOf(await permits.play.as(agentId).call(keepArtifact, sent));
  await end(working, call_id);
  const args = { title: 'A script that counts words', body: 'Take it over.', deliverables: [artifact.artifact_id] };
  const answer = await permits.perform(working, { tool: 'post_to_board', callId: `${(calls += 1)}.0`, args });
  postId = String(dataOf(answer).outcome.data?.['post_id']);
}

testOnDevices('the panel shows scripts with source, runs and last result', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, '?agent=ada&tab=now');
  const line = page.locator('.script[data-script="count-words"]');
  await line.waitFor();
  assert.match(
    await line.innerText(),
    /count-words[^]*bash[^]*Counts the words[^]*Run once[^]*failed \(script_failed\)/,
  );
  await line.locator('[data-action="source"]').click();
  await line.locator('.script-source').waitFor();
  assert.match(await line.innerText(), /count \(integer, optional\), folder \(string\)[^]*wc -w <"\$file"/);
  await line.scrollIntoViewIfNeeded();
  await stage.shot(viewer, `scripts-${name}`);
});

testOnDevices('readers of a post can open the source of a shared script', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, `?view=board&post=${postId}`);
  const card = page.locator('.artifact[data-kind="script"]');
  await card.waitFor();
  await card.locator('[data-action="open-artifact"]').click();
  await card.locator('.script-source').waitFor();
  assert.match(await card.innerText(), /Script · [^]*count-words[^]*folder \(string\)[^]*set -eu/);
  await card.scrollIntoViewIfNeeded();
  await stage.shot(viewer, `shared-script-${name}`);
});

test('an admin deletes a script', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await visit(page, '?agent=ada&tab=now');
  const line = page.locator('.script[data-script="hello"]');
  await line.locator('[data-action="delete"]').click();
  await stage.shot(viewer, 'script-delete');
  await line.locator('[data-action="confirm-delete"]').click();
  await line.waitFor({ state: 'detached' });
  await until('the deletion', async () => {
    const { scripts } = await permits.play.admin.listScripts({ agent_id: 'ada' });
    return scripts.every(({ name }) => name !== 'hello');
  });
});
