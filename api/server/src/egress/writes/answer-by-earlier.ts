import { answerPermission } from '@hamlet/store';
import type { HeldPermission, PermissionRow, RunRow, Tx } from '@hamlet/store';
import type { Acting } from '../../audit/record-act.ts';
import { followPermission } from '../../permissions/follow-permission.ts';
import { recordAnswer, USABLE_S } from '../../permissions/rules/allow-rules.ts';

interface Asking {
  readonly run: RunRow;
  readonly permission: PermissionRow;
  /** The earlier request of the run that said that it opens the host too. */
  readonly earlier: HeldPermission;
  readonly asked: Acting;
}

/**
 * Answers the request for a host as an admin answered an earlier request of the run, about a call or another host, that named this host
 * too: the admin decides once. The connection may come from another call: a program that is the agent's mind has one for all.
 */
export async function answerByEarlier(tx: Tx, { run, permission, earlier, asked }: Asking): Promise<PermissionRow> {
  const { answeredByRole: role, answeredById: id, answeredByName: name } = earlier;
  if (role !== 'admin' || id === null || name === null) return permission;
  const given = { answer: 'allow', by: { role, id, name }, reply: null, usableS: USABLE_S } as const;
  const answered = await answerPermission(tx, permission.permissionId, given);
  const more = { with_permission: earlier.permissionId };
  await recordAnswer(tx, { ...asked, actor: { role, id } }, { run, permission: answered, more });
  await followPermission(tx, { run, permission: answered, event: 'permission_answered' });
  return answered;
}
