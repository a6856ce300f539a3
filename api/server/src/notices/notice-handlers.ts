import {
  ADDRESS_REFUSED,
  forgetMailTarget,
  inTransaction,
  keepNoticeCode,
  leaveMail,
  putMailTarget,
  readAwaitedAddress,
  readMailTarget,
  setNoticeWants,
  takeNoticeCode,
} from '@hamlet/store';
import { accountObject, auditAccount } from '../auth/account-actor.ts';
import { hashOf, newLetterCode, newSecret } from '../auth/secrets.ts';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { accountOf } from '../people/account-view.ts';
import { asSignedIn } from '../people/signed-in.ts';
import type { Village } from '../village.ts';
import { AFTER_NOTICE_S, firstLookInS } from './decide-notice.ts';
import { browserHandlers, browserReader } from './browser-handlers.ts';
import { codeLetter } from './letters.ts';
import { NoticeRefusal } from './notice-refusal.ts';
import { smtpMailer } from './smtp-mailer.ts';

const CODE_LIFE_S = 3_600;

type Ports = Pick<Village, 'db' | 'config' | 'log'> & { readonly economy: Pick<Village['economy'], 'timeZone'> };

function mailHandlers({ db, config: { mail }, economy, log }: Ports) {
  return {
    sendMailCode: plain(async (request) => {
      if (mail === undefined) return refused('mail_off');
      const { address } = request.body;
      const code = newLetterCode();
      const kept = await asSignedIn(db, request, async (tx, { accountId }) => {
        const isKept = await keepNoticeCode(tx, { accountId, address, codeHash: hashOf(code), lifeS: CODE_LIFE_S });
        return isKept ? accepted({ sent: true as const }) : refused('too_many_codes');
      });
      if (!kept.ok) return kept;
      try {
        await smtpMailer(mail)(codeLetter(address, code, mail.publicUrl.origin));
      } catch (error) {
        if (!(error instanceof NoticeRefusal)) throw error;
        log('warn', 'a code was not mailed', { error });
        return refused('mail_not_sent', `The mail server did not take the mail (${error.code})`);
      }
      return kept;
    }),
    confirmMail: plain(async (request) =>
      asSignedIn(db, request, async (tx, { accountId }) => {
        const address = await takeNoticeCode(tx, accountId, hashOf(request.body.code));
        if (address === null) return refused('mail_code_wrong');
        await putMailTarget(tx, { accountId, address, leaveToken: newSecret('') });
        await auditAccount(tx, request, { accountId, action: 'mail.confirm', detail: {} });
        return accepted({ address });
      }),
    ),
    changeMyMail: plain(async (request) => {
      const { wants } = request.body;
      return asSignedIn(db, request, async (tx, { accountId }) => {
        const dueInS = firstLookInS(wants, request.now.getTime(), economy.timeZone);
        const choice = { accountId, browserId: null, wants, dueInS, restS: AFTER_NOTICE_S };
        return (await setNoticeWants(tx, choice)) ? accepted({ wants }) : refused('no_mail_address');
      });
    }),
    forgetMyMail: plain(async (request) =>
      asSignedIn(db, request, async (tx, { accountId }) => {
        await forgetMailTarget(tx, accountId);
        await auditAccount(tx, request, { accountId, action: 'mail.forget', detail: {} });
        return accepted({ forgotten: true as const });
      }),
    ),
  } satisfies Partial<Handlers>;
}

async function mailView(db: Village['db'], accountId: string) {
  const target = await readMailTarget(db, accountId);
  return {
    address: target?.address ?? null,
    awaits_code: await readAwaitedAddress(db, accountId),
    wants: target?.wants ?? ('off' as const),
    refused: target?.failure === ADDRESS_REFUSED,
    sent_at: target?.sentAt?.toISOString() ?? null,
  };
}

export function noticeHandlers(ports: Ports) {
  const { db, config } = ports;
  const browsersOf = browserReader(ports);
  return {
    ...mailHandlers(ports),
    ...browserHandlers(ports),
    getMyNotices: plain(async ({ actor }) => {
      const accountId = accountOf(actor);
      if (accountId === null) return refused('session_needed');
      const mail = config.mail === undefined ? null : await mailView(db, accountId);
      return accepted({ mail, push: await browsersOf(accountId) });
    }),
    leaveMail: plain(async ({ query }) =>
      inTransaction(db, async (tx) => {
        const accountId = await leaveMail(tx, query.token);
        if (accountId !== null) {
          const act = { action: 'mail.leave', object: accountObject(accountId), detail: {} };
          await recordAct(tx, actingAs('system', 'mail'), act);
        }
        // The token alone decides, so the answer says nothing about it.
        return accepted({ left: true as const });
      }),
    ),
    openLeaveMail: plain(async () => accepted('/?view=connections')),
  } satisfies Partial<Handlers>;
}
