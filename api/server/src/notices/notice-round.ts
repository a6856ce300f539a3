import {
  claimDueTargets,
  endBrowser,
  endMailTarget,
  noteDelivered,
  noteFailed,
  noteNotice,
  readLook,
  readSnapshotAs,
  type DueTarget,
} from '@hamlet/store';
import type { AwayGroup, NoticeWay } from '@hamlet/contract';
import { readAwayGroups } from '../attention/away-groups.ts';
import { needsOf } from '../attention/needs-of.ts';
import { accountObject } from '../auth/account-actor.ts';
import { viewerOf } from '../board/author-of.ts';
import type { Actor } from '../http/actor.ts';
import type { Log } from '../service/log.ts';
import type { Village } from '../village.ts';
import { decideNotice, retryInS, type Decision } from './decide-notice.ts';
import { NoticeRefusal } from './notice-refusal.ts';
import type { SendNotice } from './notice-ways.ts';

const LOOKS_MAX = 20;
/**
 * Number of targets that are taken together: few, because a person may change or end their notices until their target
 * is taken.
 */
const TAKEN_AT_ONCE = 4;
/** Longer than one notice may take. */
const LEASE_S = 300;
/** After a failure of the mail server, other people's emails wait this long too. */
const SERVER_PAUSE_MS = 60_000;

interface RoundPorts extends Pick<Village, 'db' | 'source'> {
  readonly economy: Pick<Village['economy'], 'timeZone'>;
  readonly ways: Readonly<Partial<Record<NoticeWay, SendNotice>>>;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly stopping: AbortSignal;
}

/** A person as they read their pages in the web. */
function actorOf({ role, accountId, personName: name }: DueTarget): Actor {
  return { role, id: accountObject(accountId), accountId, name };
}

/** The changes since the person last looked or got a notice; nothing before their first look. */
function readGroups({ db }: RoundPorts, actor: Actor, sentAt: Date | null): Promise<readonly AwayGroup[]> {
  return readSnapshotAs(db, viewerOf(actor), async (tx) => {
    const { since } = await readLook(tx, actor.id);
    if (since === null) return [];
    return readAwayGroups(tx, actor, sentAt !== null && sentAt > since ? sentAt : since);
  });
}

async function deliver(ports: RoundPorts, target: DueTarget): Promise<void> {
  const { db, economy, nowMs, ways, stopping } = ports;
  const { targetId, way, wants, noted, sentAt } = target;
  if (wants === 'off') return;
  const actor = actorOf(target);
  const needs = await needsOf(ports, actor);
  const groups = wants === 'morning' ? await readGroups(ports, actor, sentAt) : [];
  const decided: Decision = decideNotice({ wants, noted, needs, groups, nowMs: nowMs(), timeZone: economy.timeZone });
  if (stopping.aborted) return;
  const isStillDue = await noteNotice(db, target, decided);
  if (!isStillDue || !decided.sent) return;
  await ways[way]?.(target, { needs, groups, fresh: decided.fresh }, stopping);
  await noteDelivered(db, targetId);
}

/**
 * Returns a function that checks the targets that are due, and sends what is new. A check is stored before its notice
 * leaves, so a replica that ends in between loses that notice and none is sent twice; the need stays on its page, and
 * in the next notice.
 */
export function noticeRound(ports: RoundPorts): () => Promise<void> {
  const { db, log, nowMs, stopping } = ports;
  let mailPausedUntilMs = 0;

  async function failed(target: DueTarget, error: NoticeRefusal): Promise<void> {
    // The replica may end after the server has accepted the notice: the notice counts as sent.
    if (stopping.aborted) return;
    const { targetId, way, failures } = target;
    const { isOfAddress, isOfRecipient, waitS = 0 } = error.about;
    if (isOfAddress) {
      log('info', 'an address for notices is refused permanently', { target: targetId, way, code: error.code });
      await (way === 'mail' ? endMailTarget(db, target) : endBrowser(db, targetId));
      return;
    }
    // A person whose address defers every email must not hold up those of others.
    if (!isOfRecipient) mailPausedUntilMs = nowMs() + SERVER_PAUSE_MS;
    const dueInS = Math.max(retryInS(failures), waitS);
    log('warn', 'a notice was not sent; the api tries again', { target: targetId, way, seconds: dueInS, error });
    await noteFailed(db, target, { code: error.code, dueInS });
  }

  async function look(target: DueTarget): Promise<void> {
    try {
      await deliver(ports, target);
    } catch (error) {
      if (!(error instanceof NoticeRefusal)) throw error;
      await failed(target, error);
    }
  }

  const openWays = (): readonly NoticeWay[] =>
    (['mail', 'push'] as const).filter(
      (way) => ports.ways[way] !== undefined && (way !== 'mail' || nowMs() >= mailPausedUntilMs),
    );

  return async () => {
    for (let looks = 0; looks < LOOKS_MAX && !stopping.aborted; looks += TAKEN_AT_ONCE) {
      const targets = await claimDueTargets(db, { ways: openWays(), limit: TAKEN_AT_ONCE, leaseS: LEASE_S });
      const ended = await Promise.allSettled(targets.map(look));
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
      if (targets.length < TAKEN_AT_ONCE) return;
    }
  };
}
