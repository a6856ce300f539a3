import type { Db } from '@hamlet/store';
import type { Passwords } from '../auth/password.ts';
import type { OidcSignIn } from './oidc-sign-in.ts';
import type { Log } from '../service/log.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';

export interface PeopleServices {
  readonly db: Db;
  readonly log: Log;
  readonly people: {
    readonly throttle: SignInThrottle;
    readonly passwords: Passwords;
    readonly bootstrapCodeFile: string | undefined;
    /** Null if no identity provider is configured. */
    readonly oidc: OidcSignIn | null;
  };
}
