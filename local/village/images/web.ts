/** Bundles the web into web/dist. As a program it prints the outcome; `buildWeb` runs it with a lock. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, type RunOptions } from '../command.ts';
import { NODE, ROOT, stateFile } from '../paths.ts';
import { hashSources } from './context.ts';

const INPUTS = ['web', 'api/contract', 'api/core', 'agent-image/engine', 'package-lock.json'];
/** The hash of the inputs of web/dist. */
const STAMP = 'web-inputs';

/** A command that bundles the web's files unless their inputs are unchanged. Concurrent commands wait for each other. */
export const webCommand = (): readonly [program: string, ...args: string[]] => [
  'flock',
  stateFile('web.lock'),
  NODE,
  import.meta.filename,
];

/** Bundles the web's files unless their inputs are unchanged. Returns the outcome in words. */
export async function buildWeb(options: RunOptions): Promise<string> {
  const [program, ...args] = webCommand();
  return (await run(program, args, options)).split('\n').at(-1) ?? '';
}

async function build(): Promise<string> {
  const key = hashSources(
    INPUTS.map((path) => ({ from: join(ROOT, path), to: path })),
    [],
  );
  const stamp = stateFile(STAMP);
  if (existsSync(join(ROOT, 'web/dist/index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key)
    return 'unchanged';
  rmSync(stamp, { force: true });
  await run('npm', ['run', 'build', '--workspace', '@hamlet/web']);
  writeFileSync(stamp, key);
  return 'built';
}

if (import.meta.main) console.log(await build());
