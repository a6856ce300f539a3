/**
 * Restores a backup over the running village: money, posts and the sealed log are those of the backup, and continue
 * from there.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import { untilReady, village, type Village } from '@hamlet/test/env/village';
import { tryRun } from '../../local/village/command.ts';
import { NODE } from '../../local/village/paths.ts';
import { testFolder } from '../env/at-end.ts';

const AGENT = 'ada';
const LIMIT_MS = 240_000;

const folder = testFolder('backup');
let v: Village;
before(async () => {
  v = await village();
  await untilReady(v, AGENT);
});

const file = (): string => join(folder, 'village.tar');
const command = (name: string, env: Readonly<Record<string, string>>): ReturnType<typeof tryRun> =>
  tryRun(NODE, ['local/village/main.ts', name], { env });
const balance = async (): Promise<string> => (await v.admin.getBalance({ agent_id: AGENT })).balance;
const write = async (title: string): Promise<string> => (await v.admin.createPost({ title, body: title })).post.post_id;

test(
  'make backup writes one file that only its owner can read; make restore replaces all later data',
  { timeout: LIMIT_MS },
  async () => {
    await v.admin.rewardAgent({ agent_id: AGENT, amount: '1', reason: 'before the backup' });
    const kept = await write('Written before the backup');
    const made = await command('backup', { FILE: file() });
    assert.equal(made.code, 0, made.output);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    const lost = await write('Written after the backup');
    await v.admin.rewardAgent({ agent_id: AGENT, amount: '2', reason: 'after the backup' });
    const rich = Number(await balance());

    const refused = await command('restore', { FILE: file() });
    assert.equal(refused.code, 1);
    assert.match(refused.output, /It replaces: \d+ accounts, .*in namespace hamlet/);
    assert.match(refused.output, /confirmation needs a terminal.*nothing was changed/);
    assert.equal(Number(await balance()), rich, 'a refusal changes nothing');

    const restored = await command('restore', { FILE: file(), YES: '1' });
    assert.equal(restored.code, 0, restored.output);
    assert.match(restored.output, /next seal ✓ .* entries/);
    await until('the api answers', async () => (await fetch(`${v.url}/livez`)).ok);
    assert.equal((await v.admin.getPost({ post_id: kept })).post.title, 'Written before the backup');
    assert.equal((await v.admin.raw.getPost({ post_id: lost })).ok, false);
    assert.ok(Number(await balance()) <= rich - 1, `${await balance()} of ${rich}`);
    await untilReady(v, AGENT);
    await write('Written after the restore');
  },
);

test('a village of another name is refused before any change', async () => {
  const { code, output } = await command('restore', { FILE: file(), YES: '1', NAMESPACE: 'elsewhere' });
  assert.equal(code, 1);
  assert.match(output, /no village runs in namespace elsewhere/);
});
