import { listPermissions, ProblemError, type Client, type Permission } from '@hamlet/contract';
import type { Command } from '../command.ts';
import { answerHint, permissionLines } from '../talk/permission-text.ts';
import { jsonText } from '../table.ts';
import { API_DETAILS, API_OPTIONS, withApi } from '../village-api.ts';

const SHOWN = 100;

export async function pendingPermissions(api: Client, agent: string | undefined): Promise<readonly Permission[]> {
  const filter = agent === undefined ? {} : { agent_id: agent };
  const outcome = await api.call(listPermissions, { query: { state: 'pending', limit: SHOWN, ...filter } });
  if (!outcome.ok) throw new ProblemError(outcome.problem);
  return outcome.data.permissions;
}

export const permissions: Command = {
  name: 'permissions',
  usage: '[NAME]',
  summary: 'lists the permissions that agents wait for, with their arguments; exits 1 if there are any',
  details: `A member sees those of their own runs and sessions, an admin all.\n\n${API_DETAILS}`,
  options: API_OPTIONS,
  names: [0, 1],
  async run(invocation) {
    const { json, print, nowMs, names } = invocation;
    const waiting = await withApi(invocation, (api) => pendingPermissions(api, names[0]));
    if (json) print(jsonText(waiting));
    else if (waiting.length === 0) print('no permission is waited for');
    else
      for (const [index, permission] of waiting.entries()) {
        if (index > 0) print('');
        for (const line of permissionLines(permission, nowMs)) print(line);
        print(`  ${answerHint(permission)}`);
      }
    return waiting.length === 0 ? 0 : 1;
  },
};
