/** The web's files, bundled for the api to serve. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { hashSources } from './images/context.ts';
import { ROOT, stateFile } from './paths.ts';
import type { StepContext } from './steps.ts';

/** Bundles the web unless what it is made from is unchanged. */
export async function buildWeb(context: StepContext): Promise<string> {
  const inputs = ['web', 'api/contract', 'api/core', 'package-lock.json'].map((path) => ({
    from: join(ROOT, path),
    to: path,
  }));
  const key = hashSources(inputs, []);
  const stamp = stateFile('web-inputs');
  if (existsSync(join(ROOT, 'web/dist/index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key)
    return 'unchanged';
  await run('npm', ['run', 'build', '--workspace', '@hamlet/web'], { log: context.log, onLine: context.doing });
  writeFileSync(stamp, key);
  return 'built';
}
