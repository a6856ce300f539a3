import { createPostOut, type OutwardRoute } from '../egress/post-out.ts';
import { job, type Job } from '../service/jobs.ts';
import type { Services } from '../service/services.ts';
import type { Village } from '../village.ts';
import type { MailSettings } from './mail-settings.ts';
import { noticeRound } from './notice-round.ts';
import { mailWay, pushWay, type SendNotice } from './notice-ways.ts';
import { readPushKey, type PushSettings } from './push/push-settings.ts';
import { createSendPush } from './push/send-push.ts';
import { smtpMailer } from './smtp-mailer.ts';

const EVERY_MS = 1_000;

interface NoticePorts extends Pick<Village, 'db' | 'source' | 'economy'>, Pick<Services, 'log'> {
  readonly config: { readonly mail: MailSettings | undefined; readonly push: PushSettings | undefined };
  /** The way to push services. */
  readonly route: OutwardRoute | undefined;
}

const nowMs = (): number => Date.now();

function toBrowsers(push: PushSettings, route: OutwardRoute | undefined): SendNotice {
  return pushWay(createSendPush({ ...push, key: readPushKey(push), post: createPostOut(route), nowMs }));
}

/** Sends what waits for people, from the replica that leads. Without settings of mail or push there is no job. */
export function startNotices(ports: NoticePorts): { readonly jobs: readonly Job[]; readonly stop: () => void } {
  const { source, route } = ports;
  const { mail, push } = ports.config;
  const ending = new AbortController();
  const roundOf = (ways: Parameters<typeof noticeRound>[0]['ways']) =>
    noticeRound({ ...ports, ways, nowMs, stopping: ending.signal });
  const jobs: Job[] = [];
  // A job for each way: push services that do not answer must not delay emails.
  if (mail !== undefined) {
    const way = mailWay({ source, mailer: smtpMailer(mail), origin: mail.publicUrl.origin });
    jobs.push(job({ name: 'notices', everyMs: EVERY_MS, run: roundOf({ mail: way }) }));
  }
  if (push !== undefined)
    jobs.push(job({ name: 'notices-push', everyMs: EVERY_MS, run: roundOf({ push: toBrowsers(push, route) }) }));
  return { jobs, stop: () => ending.abort() };
}
