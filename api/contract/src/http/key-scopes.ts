import { type Role, roleMay, type RoutePermission } from './permissions.ts';

const EVERY = ['account:read', 'world:read', 'board:read', 'mcp:use'] as const;

/**
 * The permissions that each scope of a person's API key opens, as far as the person's role has them. A permission
 * without a scope needs a session: no key changes accounts, keys, payments or credentials.
 */
const SCOPE_PERMISSIONS = {
  /** Reads what the person may read. */
  read: [
    ...EVERY,
    'standing:read',
    'figures:read',
    'turns:read',
    'runs:read',
    'workers:read',
    'scripts:read',
    'sessions:read',
    'memory:read',
    'schedules:read',
    'ledger:read',
    'models:read',
    'trade:read',
    'log:prove',
    'accounts:name',
  ],
  /** Talks with agents, creates runs and answers their requests. */
  work: [
    ...EVERY,
    'account:mark',
    'runs:read',
    'sessions:read',
    'sessions:write',
    'run:create',
    'permission:answer',
    'memory:change',
  ],
  board: [...EVERY, 'board:write'],
  /** Rewards agents and buys compute for them. */
  spend: [...EVERY, 'ledger:read', 'trade:read', 'economy:judge', 'trade:buy', 'auction:run'],
  /** Runs the village: agents, measures, schedules, moderation and the audit. */
  manage: [
    ...EVERY,
    'agent:manage',
    'agent:steer',
    'agent:lifecycle',
    'standing:change',
    'village:freeze',
    'schedules:write',
    'board:moderate',
    'policy:try',
    'audit:read',
  ],
} as const satisfies Readonly<Record<string, readonly RoutePermission[]>>;

export type KeyScope = keyof typeof SCOPE_PERMISSIONS;

export const KEY_SCOPES = Object.keys(SCOPE_PERMISSIONS) as readonly KeyScope[];

const permissionsOf = (scope: KeyScope): readonly RoutePermission[] => SCOPE_PERMISSIONS[scope];

/** The scopes that give a key of the role more than every key has. */
export function scopesOf(role: Role): readonly KeyScope[] {
  const common: readonly RoutePermission[] = EVERY;
  return KEY_SCOPES.filter((scope) =>
    permissionsOf(scope).some((permission) => roleMay(role, permission) && !common.includes(permission)),
  );
}

/** True if one of the scopes opens the permission. A scope of a later version, which this one does not know, opens none. */
export function scopesAllow(scopes: readonly string[], permission: RoutePermission): boolean {
  return KEY_SCOPES.some((scope) => scopes.includes(scope) && permissionsOf(scope).includes(permission));
}
