import { job, type Job } from '../service/jobs.ts';
import type { Services } from '../service/services.ts';
import type { Village } from '../village.ts';
import type { MailSettings } from './mail-settings.ts';
import { noticeRound } from './notice-round.ts';
import { smtpMailer } from './smtp-mailer.ts';

const EVERY_MS = 1_000;

interface NoticePorts extends Pick<Village, 'db' | 'source' | 'economy'>, Pick<Services, 'log'> {
  readonly config: { readonly mail: MailSettings | undefined };
}

/** Sends what waits for people, from the replica that leads. Without settings of mail there is no job. */
export function startNotices(ports: NoticePorts): { readonly jobs: readonly Job[]; readonly stop: () => void } {
  const { mail } = ports.config;
  const ending = new AbortController();
  if (mail === undefined) return { jobs: [], stop: () => undefined };
  const round = noticeRound({
    ...ports,
    mailer: smtpMailer(mail),
    origin: mail.publicUrl.origin,
    nowMs: () => Date.now(),
    stopping: ending.signal,
  });
  return { jobs: [job({ name: 'notices', everyMs: EVERY_MS, run: round })], stop: () => ending.abort() };
}
