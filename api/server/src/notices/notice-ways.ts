import type { AwayGroup, Need } from '@hamlet/contract';
import type { DueTarget } from '@hamlet/store';
import type { Village } from '../village.ts';
import { digestLetter, subjectOf } from './letters.ts';
import { pushWords } from './push/push-message.ts';
import type { SendPush } from './push/send-push.ts';
import type { Mailer } from './smtp-mailer.ts';

/** The needs of a person, and the changes since the last notice. */
interface Notice {
  readonly needs: readonly Need[];
  /** The number of needs that a notice has yet to name. */
  readonly fresh: number;
  readonly groups: readonly AwayGroup[];
}

/** Sends a notice to a target. Rejects with a NoticeRefusal if it was not taken. */
export type SendNotice = (target: DueTarget, notice: Notice, stopping: AbortSignal) => Promise<void>;

interface MailPorts extends Pick<Village, 'source'> {
  readonly mailer: Mailer;
  readonly origin: string;
}

export function mailWay({ source, mailer, origin }: MailPorts): SendNotice {
  const nameOf = (agentId: string): string => source.get(agentId)?.spec.displayName ?? agentId;
  return async ({ address: to, leaveToken }, notice, stopping) => {
    if (leaveToken === null) return;
    await mailer(digestLetter({ to, leaveToken, ...notice }, { origin, nameOf }), stopping);
  };
}

/** Sends notices to browsers. A notification replaces the one before it, so each counts everything that waits. */
export function pushWay(send: SendPush): SendNotice {
  return async ({ address: endpoint, p256dh, auth }, { needs, groups }, stopping) => {
    if (p256dh === null || auth === null) return;
    const title = subjectOf({ needs, groups, fresh: needs.length });
    await send({ endpoint, p256dh, auth }, { title, body: pushWords({ needs, groups }) }, stopping);
  };
}
