import { hasAccounts } from '@hamlet/store';
import { sessionOf } from '../http/session-cookie.ts';
import { isPrivateConnection } from '../http/origin.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import type { PeopleServices } from './start-people.ts';
import { bootstrap, logIn, logOut, redeemCode } from './sign-in.ts';

const OIDC_PATH = '/api/v1/login/oidc';

function searchOf(query: Readonly<Record<string, unknown>>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)])),
  );
}

export function signInHandlers({ db, people, settings }: PeopleServices & Pick<Village, 'settings'>) {
  const { oidc, ...rest } = people;
  const ports = { db, ...rest };
  return {
    getLoginOptions: plain(async ({ headers }) =>
      accepted({
        bootstrap: !(await hasAccounts(db)),
        private_connection: isPrivateConnection(headers),
        oidc: oidc === null ? null : { name: oidc.name, path: OIDC_PATH },
        brand: { name: settings.values.brand_name, color: settings.values.brand_color },
      }),
    ),
    bootstrapAccount: plain(async (request) => bootstrap(ports, request.body, request)),
    logIn: plain(async (request) => logIn(ports, request.body, request)),
    redeemCode: plain(async (request) => redeemCode(ports, request.body, request)),
    startOidc: plain(async ({ headers, query, now }) => {
      if (oidc === null) return refused('oidc_not_configured');
      return isPrivateConnection(headers) ? oidc.begin(query.return_to, now) : refused('tls_required');
    }),
    finishOidc: plain(async (request) => {
      if (oidc === null) return refused('oidc_not_configured');
      const outcome = await oidc.finish(searchOf(request.query), request);
      // A person must see the reason of a failure on the sign-in page; a program gets it in the answer.
      const isPage = request.headers.accept?.includes('text/html') === true;
      return outcome.ok || !isPage ? outcome : accepted(`/?login_error=${outcome.reason}`);
    }),
    logOut: plain(async ({ headers }) => logOut(db, sessionOf(headers.cookie))),
  } satisfies Partial<Handlers>;
}
