import { announceAccount, inTransaction, liftExpiredAccountBans, type Tx } from '@hamlet/store';
import { startConnectionGuard, type ConnectionGuard, type GuardPorts } from '../auth/connection-guard.ts';
import { createIdentityProvider } from './identity-provider.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { createOidcSignIn } from './oidc-sign-in.ts';
import { createPasswords } from '../auth/password.ts';
import { job, type Job } from '../service/jobs.ts';
import type { PeopleServices } from './people-services.ts';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { accountObject } from '../auth/account-actor.ts';
import { SignInThrottle } from './sign-in-throttle.ts';
import type { Services } from '../service/services.ts';

const EXPIRY_EVERY_MS = 5_000;

export interface PeoplePorts extends GuardPorts, Pick<Services, 'db' | 'monotonicMs'> {
  readonly bootstrapCodeFile: string | undefined;
  readonly oidc: OidcSettings | undefined;
}

export interface RunningPeople {
  readonly people: PeopleServices['people'];
  readonly guard: ConnectionGuard;
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

/** Starts sign-in and the guard of open connections. Its job records the end of expired bans. */
export function startPeople(ports: PeoplePorts): RunningPeople {
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

/** Records the end of expired bans. The API has accepted requests of these accounts since the expiry. */
async function liftExpired(tx: Tx): Promise<void> {
  for (const accountId of await liftExpiredAccountBans(tx)) {
    await recordAct(tx, actingAs('system', 'expiry'), {
      action: 'account.unban',
      object: accountObject(accountId),
      detail: { reason: 'expired' },
    });
    await announceAccount(tx, accountId);
  }
}
