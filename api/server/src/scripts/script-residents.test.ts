/** Scripts of agents with a model: a resident's process, a real supervisor, Postgres and the API. Only the model is scripted. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Permission, type Script } from '@hamlet/contract';
import { untilEnd } from '@hamlet/test/env/at-end';
import { payForModels, startHandsVillage } from '../testing/hands-village.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { testResidents } from '../testing/resident-process.ts';
import { eventually, type AgentId } from '../testing/test-village.ts';
import { called, said, startMind } from '../runs/testing/call-mind.ts';

/** Tier with models. */
const BOB = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: bob }
spec:
  displayName: Bob
  entitlement: { policy: Pinned, name: tier-1 }
`;

/** Uses the tools that a person names, one by one. `$VERSION` and `$ID` come from the last result. */
const toolMind = startMind(({ asked: wish, results }) => {
  const next = [...wish.matchAll(/^Tool: (\S+) (.*)$/gm)][results.length];
  if (next === undefined) return said(`The result: ${results.at(-1) ?? 'none'}`);
  const last = (id: RegExp): string => results.join('\n').match(id)?.at(-1) ?? '';
  const [, name = '', args = ''] = next;
  const version = last(/[0-9a-f]{32}/g);
  const id = last(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g);
  return called([name, JSON.parse(args.replaceAll('$VERSION', version).replaceAll('$ID', id)) as object]);
});

const fileOf = (name: string): string => join(village.hands.workspace, name);
const linesOf = (name: string): readonly string[] =>
  existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8').trim().split('\n').filter(Boolean) : [];
const use = (name: string, args: object): string => `Tool: ${name} ${JSON.stringify(args)}`;
const bake = (source: string, name = 'bake'): string =>
  use('save_script', { name, description: 'Bakes bread', language: 'bash', source });
const scriptsOf = async (agent_id: AgentId): Promise<readonly Script[]> =>
  (await runs.play.admin.listScripts({ agent_id })).scripts;

const village = untilEnd(await startHandsVillage(await toolMind, { agents: { bob: BOB } }));
const runs = new RunPlay(village.peopleUrl);
const residents = testResidents(runs.play, ['ada', 'bob']);
await payForModels(runs.play, ['ada', 'bob']);
async function answer({ permission_id }: Permission, body: { answer: 'allow' }): Promise<void> {
  await runs.play.admin.answerPermission({ permission_id, ...body });
}

test('an agent saves a script and runs it in another run, after its pod and its volume are gone', async () => {
  const child = await residents.start('ada');
  const saved = await runs.ended(
    (
      await runs.give(
        'ada',
        bake('echo "$ARG_WHAT is baked"').replace(
          '"source"',
          '"parameters":{"properties":{"what":{"type":"string"}},"required":["what"]},"source"',
        ),
      )
    ).run_id,
  );
  assert.equal(saved.state, 'done', JSON.stringify(saved.error));
  await residents.kill(child);
  await runs.play.admin.rebootAgent({ agent_id: 'ada' });
  await residents.start('ada', 'another-volume');
  const steps = [
    use('list_scripts', {}),
    use('run_script', { name: 'bake', version: '$VERSION', arguments: { what: 'rye' } }),
  ];
  const { run_id } = await runs.give('ada', steps.join('\n'));
  const run = await runs.ended(run_id);
  assert.match(run.summary ?? '', /rye is baked/, JSON.stringify(run.error));
  const [script] = await scriptsOf('ada');
  assert.deepEqual([script?.runs, script?.last_run?.run_id, script?.last_run?.outcome?.kind], [1, run_id, 'ok']);
  const { calls } = await runs.play.admin.listCalls({ run_id });
  assert.match(calls[0]?.report?.command ?? '', /^# bake [0-9a-f]{32} \{"what":"rye"\}\necho /);
});

test('a resident that is killed during a script resumes it; if the hands are gone too, the model reads that', async () => {
  const source = (file: string): string =>
    `echo loaf >>${fileOf(file)}; while [ ! -e ${fileOf(`go-${file}`)} ]; do sleep 0.05; done; echo baked`;
  for (const lost of [false, true]) {
    const file = lost ? 'loaves-lost' : 'loaves';
    const child = await residents.start('ada');
    const steps = [
      bake(source(file), 'wait'),
      use('run_script', { name: 'wait', version: '$VERSION', timeout_s: 600 }),
    ];
    const { run_id } = await runs.give('ada', steps.join('\n'));
    await eventually('the loaf', () => linesOf(file).length === 1);
    await residents.kill(child);
    if (lost) await village.replaceHands();
    await residents.start('ada');
    if (!lost) writeFileSync(fileOf(`go-${file}`), '');
    const run = await runs.ended(run_id);
    assert.equal(run.state, 'done', JSON.stringify(run.error));
    assert.match(run.summary ?? '', lost ? /machine started again/ : /baked/);
    await residents.killAll();
    await runs.play.admin.rebootAgent({ agent_id: 'ada' });
  }
});

test('an agent shares a script in a post; another adopts it with a permission, and its runs become tainted', async () => {
  await residents.start('ada');
  const steps = [
    bake('echo the bread of ada', 'share'),
    use('deliver', { kind: 'script', script: { name: 'share', version: '$VERSION' } }),
    use('post_to_board', { title: 'A script for all', body: 'It bakes.', deliverables: ['$ID'] }),
  ];
  const given = await runs.give('ada', steps.join('\n'));
  const shared = await runs.ended(given.run_id);
  assert.equal(shared.state, 'done', JSON.stringify(shared.error));
  const { posts } = await runs.play.admin.listPosts({ q: 'A script for all' });
  const [post] = posts;
  const [deliverable] = post?.deliverables ?? [];
  assert.deepEqual([deliverable?.name, deliverable?.deliverable], ['share.script.json', 'script']);
  await residents.start('bob');
  const adopt = { post_id: post?.post_id, deliverable_id: deliverable?.artifact_id, name: 'from-ada' };
  const taken = [use('adopt_script', adopt), use('run_script', { name: 'from-ada', version: '$VERSION' })];
  const { run_id } = await runs.give('bob', taken.join('\n'));
  const permission = await runs.asked(run_id);
  assert.deepEqual([permission.tool, permission.why], ['adopt_script', 'policy']);
  await answer(permission, { answer: 'allow' });
  const run = await runs.ended(run_id);
  assert.match(run.summary ?? '', /the bread of ada/, JSON.stringify(run.error));
  assert.deepEqual(
    run.taint?.map(({ source }) => source),
    ['tool', 'script'],
  );
  const [adopted] = await scriptsOf('bob');
  assert.deepEqual([adopted?.name, adopted?.adopted_from, adopted?.tainted], ['from-ada', 'ada', true]);
});
