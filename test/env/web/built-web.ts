import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { webCommand } from '../../../local/village/images/web.ts';
import { ROOT } from '../../../local/village/paths.ts';

/** The folder of the web, built from its present sources, for the village and for all tests of a checkout. */
export function builtWeb(): string {
  const [program, ...args] = webCommand();
  execFileSync(program, args);
  return join(ROOT, 'web/dist');
}
