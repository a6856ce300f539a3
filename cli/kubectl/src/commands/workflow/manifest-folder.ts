import { configErrorText, MANIFEST_NAMES, type ConfigError } from '@hamlet/engine/manifests';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, type Invocation } from '../../command.ts';
import { printed } from '../../table.ts';

/** The limit of a ConfigMap. */
const FILE_MAX_BYTES = 1_048_576;
/** The check of the manifests refuses these names, and names the right one. */
const WRONG_NAMES = MANIFEST_NAMES.map((name) => name.replace(/\.yaml$/, '.yml'));

export type ManifestTexts = ReadonlyMap<string, string>;

/** The texts of the manifests in a folder, by file name. Ignores other files. Throws a Failure if a manifest cannot be read. */
export function manifestsIn(dir: string): ManifestTexts {
  const texts = new Map<string, string>();
  for (const name of [...MANIFEST_NAMES, ...WRONG_NAMES]) {
    const text = textOf(join(dir, name));
    if (text !== null) texts.set(name, text);
  }
  return texts;
}

/** Null for a file that is missing. */
function textOf(path: string): string | null {
  try {
    if (statSync(path).size <= FILE_MAX_BYTES) return readFileSync(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw new Failure(`${path} cannot be read: ${error.message}`, 2);
  }
  throw new Failure(`${path} is larger than ${FILE_MAX_BYTES / 1_024} KiB: shorten the manifest`, 2);
}

/** `dir`: as on the command line; empty for manifests from the API. */
export type Place = Readonly<{ dir: string; texts: ManifestTexts }>;

/** Reports all errors with exit code 2: as JSON for programs, else in a Failure with lines and hints. */
export function refused(
  invocation: Pick<Invocation, 'json' | 'print'>,
  errors: readonly ConfigError[],
  { dir, texts }: Place,
): 2 {
  const text = (): string => configErrorText(errors, dir, (file) => texts.get(file) ?? null).trimEnd();
  if (!invocation.json) throw new Failure(text(), 2);
  printed(invocation, { ok: false, errors }, text);
  return 2;
}
