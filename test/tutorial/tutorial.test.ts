/**
 * Runs the commands of docs/TUTORIAL.md in their order, in one shell: kubectl on a real API server with the village's kinds, curl on a
 * real API whose agent is a process. Each block of commands runs, or says why it does not.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { untilEnd, testFolder } from '@hamlet/test/env/at-end';
import { testApiServer } from '@hamlet/test/env/api-server';
import { test } from '@hamlet/test/env/cluster-test';
import { testResidents } from '../../api/server/src/testing/resident-process.ts';
import { firstAdmin } from '../../api/server/src/testing/play/people-play.ts';
import { startPlay } from '../../api/server/src/testing/test-village.ts';
import { program } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { ROOT } from '../../local/village/paths.ts';

interface Block {
  readonly commands: string;
  /** Why the test does not run it; empty if it does. */
  readonly notRun: string;
  /** Lines of its output; `…` stands for any text. Null if the document shows none. */
  readonly shows: string | null;
}

const document = await readFile(join(ROOT, 'docs/TUTORIAL.md'), 'utf8');
const BLOCK =
  /(?:<!-- not run: (?<notRun>[^\n]+) -->\n)?```sh\n(?<commands>.*?)\n```(?:\n\n```text\n(?<shows>.*?)\n```)?/gs;
const blocks = [...document.matchAll(BLOCK)].map(({ groups = {} }): Block => {
  const { notRun = '', commands = '', shows = null } = groups;
  return { notRun, commands, shows };
});
const isRun = ({ notRun }: Block): boolean => notRun === '';

const folder = testFolder('tutorial');
const MARK = '--- end of a block ---';

/** Runs the commands in one shell, and returns what each block printed. */
async function outputs(ofBlocks: readonly Block[], env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const script = ofBlocks.map(({ commands }) => `${commands}\necho '${MARK}'`).join('\n');
  const shell = spawn('bash', ['-euo', 'pipefail'], { cwd: folder, env, stdio: 'pipe' });
  let [printed, errors] = ['', ''];
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  shell.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  shell.stdin.end(script);
  const [code] = await once(shell, 'close');
  assert.equal(code, 0, `${printed}\n${errors}`);
  return printed.split(`${MARK}\n`).slice(0, -1);
}

const patternOf = (shows: string): RegExp => new RegExp(`^\\s*${shows.split('…').map(RegExp.escape).join('.*')}\\s*$`);

test('every block of commands is recognized, and shown output belongs to commands that run', () => {
  assert.equal(blocks.length, document.match(/^```sh$/gm)?.length);
  const shown = blocks.filter(({ shows }) => shows !== null);
  assert.equal(shown.length, document.match(/^```text$/gm)?.length);
  assert.ok(shown.every(isRun));
  assert.equal(document.match(/^```/gm)?.length, 2 * (blocks.length + shown.length), 'no block of another kind');
});

test('the commands make an agent, give it a paid task and pay it', async () => {
  const { play } = await startPlay({ villageSpeed: 20 });
  await testResidents(play).start('cleo');
  const { client } = await firstAdmin(play.url);
  const { token } = await client.createMyKey({ name: 'terminal', scopes: ['read', 'work', 'spend'], days: 1 });
  const kube = untilEnd(await testApiServer());
  await kube.installCrds();
  const namespaces = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hamlet' } };
  const [kubectl, helm] = [await program('kubectl'), await program('helm')];
  const env = { KUBECONFIG: join(folder, 'kubeconfig') };
  await cp(kube.kubeconfig, env.KUBECONFIG);
  await run(kubectl, ['apply', '-f', '-'], { env, input: JSON.stringify(namespaces) });
  await mkdir(join(folder, 'charts'));
  await cp(join(ROOT, 'charts/hamlet'), join(folder, 'charts/hamlet'), { recursive: true });

  const running = blocks.filter(isRun);
  const printed = await outputs(running, {
    ...env,
    PATH: [dirname(kubectl), dirname(helm), process.env['PATH']].join(delimiter),
    HOME: folder,
    HAMLET_URL: play.url,
    HAMLET_TOKEN: token,
  });
  assert.equal(printed.length, running.length);
  for (const [at, { commands, shows }] of running.entries())
    if (shows !== null) assert.match(printed[at] ?? '', patternOf(shows), commands);
});
