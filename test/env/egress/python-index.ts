/** A Python package index with real wheels, for pip in a pod. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The Python of the hands, and wheels that need no platform. */
const TARGET = ['--python-version', '3.11', '--platform', 'any', '--only-binary', ':all:'];

/** The normalized name of a package, as in paths of an index. */
const normalized = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

/**
 * The files of an index with a package and all that it needs, by path. The machine's pip fetches the wheels from its own index
 * into the folder.
 */
export async function pythonIndex(folder: string, name: string): Promise<ReadonlyMap<string, Buffer | string>> {
  const command = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--disable-pip-version-check',
    ...TARGET,
    '--dest',
    folder,
    name,
  ];
  await promisify(execFile)('python3', command);
  const files = new Map<string, Buffer | string>();
  for (const wheel of readdirSync(folder).filter((file) => file.endsWith('.whl'))) {
    const bytes = readFileSync(join(folder, wheel));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const [project = ''] = wheel.split('-');
    files.set(`/packages/${wheel}`, bytes);
    files.set(
      `/simple/${normalized(project)}/`,
      `<html><a href="/packages/${wheel}#sha256=${sha256}">${wheel}</a></html>`,
    );
  }
  return files;
}
