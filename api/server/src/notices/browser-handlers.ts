import { forgetBrowser, putBrowser, readBrowsers, setNoticeWants } from '@hamlet/store';
import { auditAccount } from '../auth/account-actor.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { asSignedIn } from '../people/signed-in.ts';
import type { Village } from '../village.ts';
import { AFTER_NOTICE_S, firstLookInS } from './decide-notice.ts';
import { areBrowserKeys } from './push/encrypt-push.ts';
import { pushEndpoint } from './push/push-services.ts';
import { readPushKey } from './push/push-settings.ts';

type Ports = Pick<Village, 'db' | 'config'> & { readonly economy: Pick<Village['economy'], 'timeZone'> };

/** The routes for browsers that a person has notified. */
export function browserHandlers({ db, config: { push }, economy }: Ports) {
  return {
    addMyBrowser: plain(async (request) => {
      if (push === undefined) return refused('push_off');
      const { endpoint } = request.body;
      if (pushEndpoint(endpoint, push.hosts) === null)
        return refused(
          'browser_refused',
          'This address does not belong to a known push service: ask the operator to add its host to push.hosts',
        );
      if (!areBrowserKeys(request.body))
        return refused('browser_refused', 'The keys of the browser are wrong: subscribe again');
      return asSignedIn(db, request, async (tx, { accountId }) => {
        const browserId = await putBrowser(tx, { accountId, ...request.body });
        if (browserId === null) return refused('too_many_browsers');
        const detail = { name: request.body.name };
        await auditAccount(tx, request, { accountId, action: 'browser.add', detail });
        return accepted({ browser_id: browserId });
      });
    }),
    changeMyBrowser: plain(async (request) => {
      const { wants } = request.body;
      return asSignedIn(db, request, async (tx, { accountId }) => {
        const dueInS = firstLookInS(wants, request.now.getTime(), economy.timeZone);
        const choice = { accountId, browserId: request.params.browser_id, wants, dueInS, restS: AFTER_NOTICE_S };
        return (await setNoticeWants(tx, choice)) ? accepted({ wants }) : refused('no_such_browser');
      });
    }),
    forgetMyBrowser: plain(async (request) =>
      asSignedIn(db, request, async (tx, { accountId }) => {
        const name = await forgetBrowser(tx, accountId, request.params.browser_id);
        if (name === null) return refused('no_such_browser');
        await auditAccount(tx, request, { accountId, action: 'browser.forget', detail: { name } });
        return accepted({ forgotten: true as const });
      }),
    ),
  } satisfies Partial<Handlers>;
}

/** Returns a function that reads the browsers of a person; null if the village notifies no browsers. */
export function browserReader({ db, config: { push } }: Pick<Ports, 'db' | 'config'>) {
  if (push === undefined) return async () => null;
  const { publicKey } = readPushKey(push);
  return async (accountId: string) => {
    const browsers = await readBrowsers(db, accountId);
    return {
      public_key: publicKey,
      browsers: browsers.map(({ browserId, name, endpoint, wants, failure, addedAt, sentAt }) => ({
        browser_id: browserId,
        name,
        endpoint,
        wants,
        failure,
        added_at: addedAt.toISOString(),
        sent_at: sentAt?.toISOString() ?? null,
      })),
    };
  };
}
