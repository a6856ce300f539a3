import type { Agent } from '@hamlet/contract/kinds';
import { Failure } from './command.ts';
import type { Kubectl } from './kubectl.ts';

export const AGENTS = 'agents.hamlet.village';
export const SCHEDULES = 'schedules.hamlet.village';
export const ENTITLEMENTS = 'entitlements.hamlet.village';

export interface Listed<T> {
  readonly items: readonly T[];
}

/** Reads one Agent; the Failure for an unknown name lists the known ones. */
export async function readAgent(kubectl: Kubectl, name: string): Promise<Agent> {
  const { code, stdout, stderr } = await kubectl.run(['get', AGENTS, name, '--output=json', '--ignore-not-found']);
  if (code !== 0) throw new Failure(stderr.trim());
  if (stdout.trim() !== '') return JSON.parse(stdout) as Agent;
  const { items } = await kubectl.json<Listed<Agent>>(['get', AGENTS]);
  const known = items.map(({ metadata }) => metadata.name);
  const listed = known.length === 0 ? 'none' : known.slice(0, 10).join(', ') + (known.length > 10 ? ' and more' : '');
  throw new Failure(`there is no Agent "${name}" in this namespace; there are ${listed}`);
}
