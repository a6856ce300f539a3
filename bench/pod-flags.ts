import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Node's flags in the command of an image. */
function flagsOf(part: string): readonly string[] {
  const file = join(import.meta.dirname, '..', part, 'Dockerfile');
  const [, list] = /^CMD (\[.*\])$/m.exec(readFileSync(file, 'utf8')) ?? [];
  if (list === undefined) throw new Error(`${file} has no CMD in list form`);
  return (JSON.parse(list) as readonly string[]).filter((word) => word.startsWith('--'));
}

/** Node's flags in the pod of an agent. */
export const POD_FLAGS = flagsOf('agent-image');

/** Node's flags in the pod of the API. */
export const API_FLAGS = flagsOf('api');
