import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigError, Result } from '../plan/config-error.ts';
import { MANIFEST_NAMES, type Manifests } from './manifests.ts';
import { readManifests } from './read-manifests.ts';
import { MAX_BYTES } from './yaml-tokens.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the manifests of a folder. It leaves other files alone, but refuses a manifest whose name ends with `.yml`. */
export async function loadManifests(dir: string): Promise<Result<Manifests>> {
  const wrong = await folderFault(dir);
  if (wrong !== null) return { ok: false, errors: [fileError('workflow.yaml', wrong)] };
  const names = MANIFEST_NAMES.flatMap((name) => [name, name.replace(/\.yaml$/, '.yml')]);
  const files = new Map<string, string>();
  const errors: ConfigError[] = [];
  for (const name of names) {
    const read = await textOf(join(dir, name));
    if (read.kind === 'text') files.set(name, read.text);
    if (read.kind === 'refused') errors.push(fileError(name, read));
  }
  return errors.length > 0 ? { ok: false, errors } : readManifests(files);
}

type Refused = Readonly<{ kind: 'refused'; code: 'config_file' | 'config_limit'; message: string; hint: string }>;
type FileText = Readonly<{ kind: 'absent' } | { kind: 'text'; text: string }> | Refused;

async function folderFault(dir: string): Promise<Refused | null> {
  const refused = (message: string, hint: string): Refused => ({ kind: 'refused', code: 'config_file', message, hint });
  const found = await stat(dir).catch(() => null);
  if (found === null) return refused(`there is no folder ${dir}`, 'Correct its name, or make it.');
  return found.isDirectory() ? null : refused(`${dir} is not a folder`, 'Name the folder of the manifests.');
}

async function textOf(path: string): Promise<FileText> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_BYTES) return decoded(await readFile(path));
    const message = `the file is larger than ${MAX_BYTES} bytes`;
    return { kind: 'refused', code: 'config_limit', message, hint: 'Shorten the manifest.' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ENOENT') return { kind: 'absent' };
    const hint = 'Make it a file that the program may read.';
    return { kind: 'refused', code: 'config_file', message: `the file cannot be read: ${error.message}`, hint };
  }
}

function decoded(bytes: Buffer): FileText {
  try {
    return { kind: 'text', text: UTF8.decode(bytes) };
  } catch {
    return { kind: 'refused', code: 'config_file', message: 'the file is not UTF-8', hint: 'Save it as UTF-8.' };
  }
}

const fileError = (file: string, { code, message, hint }: Refused): ConfigError => ({
  code,
  file,
  line: 1,
  column: 1,
  path: '',
  message,
  hint,
});
