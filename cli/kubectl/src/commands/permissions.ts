import { dataOf, listPermissions, type Client, type Permission } from '@hamlet/contract';
import { answerHint, permissionLines } from '../talk/permission-text.ts';
import { apiCommand } from '../village-api.ts';

const SHOWN = 100;

export async function pendingPermissions(api: Client, agent: string | undefined): Promise<readonly Permission[]> {
  const filter = agent === undefined ? {} : { agent_id: agent };
  const query = { state: 'pending', limit: SHOWN, ...filter } as const;
  return (await dataOf(api.call(listPermissions, { query }))).permissions;
}

export const permissions = apiCommand({
  name: 'permissions',
  usage: '[NAME]',
  summary: 'lists the permissions that agents wait for, with their arguments; exits 1 if there are any',
  details: 'A member sees those of their own runs and sessions, an admin all.',
  options: {},
  names: [0, 1],
  act: ({ names: [agent] }) => agent,
  read: pendingPermissions,
  text: (waiting, _agent, nowMs) =>
    waiting.length === 0
      ? 'no permission is pending'
      : waiting.flatMap((permission, index) => [
          ...(index > 0 ? [''] : []),
          ...permissionLines(permission, nowMs),
          `  ${answerHint(permission)}`,
        ]),
  exit: (waiting) => (waiting.length === 0 ? 0 : 1),
});
