/** The commands of docs/TUTORIAL.md, and a shell that runs them and compares the output with what the document shows. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { program } from '../../local/village/cluster.ts';
import { ROOT } from '../../local/village/paths.ts';

interface Block {
  readonly commands: string;
  /** Why the tests do not run it; empty if they do. */
  readonly notRun: string;
  /** Lines of its output; `…` stands for any text. Null if the document shows none. */
  readonly shows: string | null;
}

export const TUTORIAL = await readFile(join(ROOT, 'docs/TUTORIAL.md'), 'utf8');
const BLOCK =
  /(?:<!-- not run: (?<notRun>[^\n]+) -->\n)?```sh\n(?<commands>.*?)\n```(?:\n\n```text\n(?<shows>.*?)\n```)?/gs;

/** All blocks of commands, in their order. */
export const BLOCKS: readonly Block[] = [...TUTORIAL.matchAll(BLOCK)].map(({ groups = {} }) => {
  const { notRun = '', commands = '', shows = null } = groups;
  return { notRun, commands, shows };
});

const MARK = '--- end of a block ---';

/** Runs the commands in one shell, and returns what each block printed. */
async function outputs(blocks: readonly Block[], cwd: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const script = blocks.map(({ commands }) => `${commands}\necho '${MARK}'`).join('\n');
  const shell = spawn('bash', ['-euo', 'pipefail'], { cwd, env, stdio: 'pipe' });
  let [printed, errors] = ['', ''];
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  shell.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  shell.stdin.end(script);
  const [code] = await once(shell, 'close');
  assert.equal(code, 0, `${printed}\n${errors}`);
  return printed.split(`${MARK}\n`).slice(0, -1);
}

const patternOf = (shows: string): RegExp => new RegExp(`^\\s*${shows.split('…').map(RegExp.escape).join('.*')}\\s*$`);

/** Variables of a person's shell that name a village. */
interface Place {
  readonly KUBECONFIG: string;
  readonly HAMLET_URL: string;
  readonly HAMLET_TOKEN: string;
}

/**
 * Runs blocks in an empty folder with the chart, and requires the output that the document shows. The commands change the
 * kubeconfig.
 */
export async function assertRun(blocks: readonly Block[], folder: string, place: Place): Promise<void> {
  await mkdir(join(folder, 'charts'));
  await cp(join(ROOT, 'charts/hamlet'), join(folder, 'charts/hamlet'), { recursive: true });
  const programs = [dirname(await program('kubectl')), dirname(await program('helm'))];
  const PATH = [...programs, process.env['PATH']].join(delimiter);
  const printed = await outputs(blocks, folder, { ...place, PATH, HOME: folder });
  assert.equal(printed.length, blocks.length);
  for (const [at, { commands, shows }] of blocks.entries())
    if (shows !== null) assert.match(printed[at] ?? '', patternOf(shows), commands);
}
