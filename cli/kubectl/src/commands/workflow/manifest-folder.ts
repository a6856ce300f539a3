import { configErrorText, MANIFEST_NAMES, type ConfigError } from '@hamlet/engine/manifests';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, type Invocation } from '../../command.ts';
import { printed } from '../../table.ts';

/** As much as a ConfigMap holds. */
const FILE_MAX_BYTES = 1_048_576;
/** These are refused with the name that they should have. */
const WRONG_NAMES = MANIFEST_NAMES.map((name) => name.replace(/\.yaml$/, '.yml'));

export type ManifestTexts = ReadonlyMap<string, string>;

/** The texts of the manifests in a folder, by the names of their files. Other files are left alone. Throws a Failure for one that it cannot read. */
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

/** `dir`: as it was given; empty for manifests that the API has. */
export type Place = Readonly<{ dir: string; texts: ManifestTexts }>;

/** Refuses manifests with all their errors and the exit code 2: as JSON for programs, else by a Failure with the lines and hints. */
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
