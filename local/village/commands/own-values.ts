import { existsSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { stateFile } from '../paths.ts';
import { writePrivate } from '../secrets.ts';

const OFF = 'off';

/**
 * The file with the operator's own values of the chart, as `VALUES` names it; without it, that of the last start. Null
 * without either, or after `VALUES=off`. Throws if the file is missing.
 */
export function ownValues(named: string | undefined, kept = stateFile('own-values.json')): string | null {
  if (named === OFF) {
    rmSync(kept, { force: true });
    return null;
  }
  const file = named === undefined ? keptIn(kept) : resolve(named);
  if (file === null) return null;
  if (!existsSync(file))
    throw new Failure(`the file of values ${file} is missing`, `VALUES=FILE make up, or VALUES=${OFF} for none`);
  if (named !== undefined) writePrivate(kept, { file });
  return file;
}

const keptIn = (kept: string): string | null =>
  existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as { readonly file: string }).file : null;
