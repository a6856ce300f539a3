import { announceAccount, inTransaction, liftExpiredAccountBans, type Tx } from '@hamlet/store';
import { startConnectionGuard, type GuardPorts } from '../auth/connection-guard.ts';
import { createIdentityProvider } from './identity-provider.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { createOidcSignIn } from './oidc-sign-in.ts';
import { createPasswords } from '../auth/password.ts';
import { job } from '../service/jobs.ts';
import { actingAs } from '../audit/record-act.ts';
import { auditAccount } from '../auth/account-actor.ts';
import { SignInThrottle } from './sign-in-throttle.ts';
import type { Services } from '../service/services.ts';

const EXPIRY_EVERY_MS = 5_000;

interface PeoplePorts extends GuardPorts, Pick<Services, 'db' | 'monotonicMs'> {
  readonly bootstrapCodeFile: string | undefined;
  readonly oidc: OidcSettings | undefined;
}

export function startPeople(ports: PeoplePorts) {
  const { db, log, oidc } = ports;
  const guard = startConnectionGuard(ports);
  return {
    guard,
    jobs: [job({ name: 'ban-expiry', everyMs: EXPIRY_EVERY_MS, run: () => inTransaction(db, liftExpired) })],
    people: {
      throttle: new SignInThrottle(ports.monotonicMs),
      passwords: createPasswords(),
      bootstrapCodeFile: ports.bootstrapCodeFile,
      oidc:
        oidc === undefined
          ? null
          : createOidcSignIn({ db, provider: createIdentityProvider(oidc, log), roles: oidc.roles, name: oidc.name }),
    },
    stop: () => guard.stop(),
  };
}

export interface PeopleServices extends Pick<Services, 'db' | 'log'> {
  readonly people: ReturnType<typeof startPeople>['people'];
}

/** Records the end of expired bans. The API has accepted requests of these accounts since the expiry. */
async function liftExpired(tx: Tx): Promise<void> {
  for (const accountId of await liftExpiredAccountBans(tx)) {
    await auditAccount(tx, actingAs('system', 'expiry'), {
      accountId,
      action: 'account.unban',
      detail: { reason: 'expired' },
    });
    await announceAccount(tx, accountId);
  }
}
