import { announceAccount, inTransaction, liftExpiredAccountBans } from '@hamlet/store';
import type { Db, Tx } from '@hamlet/store';
import { randomUUID } from 'node:crypto';
import { startConnectionGuard } from '../auth/connection-guard.ts';
import type { ConnectionGuard, GuardPorts } from '../auth/connection-guard.ts';
import { createIdentityProvider } from '../auth/oidc/identity-provider.ts';
import type { OidcSettings } from '../auth/oidc/oidc-settings.ts';
import { createOidcSignIn } from '../auth/oidc/oidc-sign-in.ts';
import { createPasswords } from '../auth/password.ts';
import { repeat } from '../service/repeat.ts';
import type { PeopleServices } from './people-services.ts';
import { recordAct } from '../audit/record-act.ts';
import { accountObject } from './account-object.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

const EXPIRY_EVERY_MS = 5_000;

export interface PeoplePorts extends GuardPorts {
  readonly db: Db;
  readonly monotonicMs: () => number;
  readonly bootstrapCodeFile: string | undefined;
  readonly oidc: OidcSettings | undefined;
}

export interface RunningPeople {
  readonly people: PeopleServices['people'];
  readonly guard: ConnectionGuard;
  stop(): Promise<void>;
}

/** Starts what follows people: the guard of what they have open, and the end of bans whose time has come. */
export function startPeople(ports: PeoplePorts): RunningPeople {
  const { db, log, oidc } = ports;
  const guard = startConnectionGuard(ports);
  const stopExpiry = repeat(
    EXPIRY_EVERY_MS,
    () => inTransaction(db, liftExpired),
    (error) => log('warn', 'bans that are over wait for the database', { error }),
  );
  return {
    guard,
    people: {
      throttle: new SignInThrottle(ports.monotonicMs),
      passwords: createPasswords(),
      bootstrapCodeFile: ports.bootstrapCodeFile,
      oidc:
        oidc === undefined
          ? null
          : createOidcSignIn({ db, provider: createIdentityProvider(oidc, log), roles: oidc.roles, name: oidc.name }),
    },
    stop: async () => {
      await Promise.all([guard.stop(), stopExpiry()]);
    },
  };
}

/** Notes the end of bans that are over; nobody was refused for them since the very moment of their end. Replicas share the work. */
async function liftExpired(tx: Tx): Promise<void> {
  for (const accountId of await liftExpiredAccountBans(tx)) {
    const acting = { actor: { role: 'system', id: 'expiry' }, requestId: randomUUID(), traceparent: null };
    await recordAct(tx, acting, {
      action: 'account.unban',
      object: accountObject(accountId),
      detail: { reason: 'expired' },
    });
    await announceAccount(tx, accountId);
  }
}
