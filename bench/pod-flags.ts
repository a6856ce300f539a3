import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCKERFILE = join(import.meta.dirname, '../agent-image/Dockerfile');

/** The command of the image of agents. */
function command(): readonly string[] {
  const [, list] = /^CMD (\[.*\])$/m.exec(readFileSync(DOCKERFILE, 'utf8')) ?? [];
  if (list === undefined) throw new Error(`${DOCKERFILE} has no CMD in list form`);
  return JSON.parse(list) as readonly string[];
}

/** Node's flags in the pod of an agent. */
export const POD_FLAGS: readonly string[] = command().filter((part) => part.startsWith('--'));
