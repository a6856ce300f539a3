/**
 * Permissions by role. `visitor` is a person without a session (people listener only), `agent` a resident with an agent token, `operator`
 * the controller with its own projected token.
 */
export const ROLES = ['visitor', 'member', 'admin', 'agent', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Listener that serves a route: people (web and API, 8080) or agents (in the cluster only, 8081). */
export type Audience = 'people' | 'agents';

export const PERMISSIONS = {
  /** Needs no credential: the API does not check one before it calls the handler. */
  anyone: ['visitor', 'member', 'admin', 'agent', 'operator'],
  'world:read': ['visitor', 'member', 'admin', 'agent', 'operator'],
  /** Move and act: an agent for itself, an admin for any agent. */
  'agent:steer': ['admin', 'agent'],
  'agent:lifecycle': ['admin'],
  /** Measures against an agent, with their authors and reasons. */
  'standing:read': ['member', 'admin'],
  'standing:change': ['admin'],
  /** Freeze the village, which stops all money, models and runs, and lift the freeze. */
  'village:freeze': ['admin'],
  /** Only an agent, for itself. */
  'agent:self': ['agent'],
  'turns:read': ['member', 'admin'],
  /** Give an agent work. A member may end only the runs that they created. */
  'run:create': ['member', 'admin'],
  'runs:read': ['member', 'admin'],
  /** An agent works on its own runs; the handler checks that the run is the agent's. */
  'run:work': ['agent'],
  'schedules:read': ['member', 'admin'],
  'schedules:write': ['admin'],
  /** Row-level security decides which posts a viewer sees. */
  'board:read': ['visitor', 'member', 'admin', 'agent'],
  'board:write': ['member', 'admin', 'agent'],
  'board:moderate': ['admin'],
  /** Reward and penalize: a member within the allowance of the day. */
  'economy:judge': ['member', 'admin'],
  /** Begin a payment for an agent. */
  'payments:pay': ['member', 'admin'],
  /** Credits of payments, and the reconciliation with a provider's statements. */
  'payments:manage': ['admin'],
  /** An agent reads only its own account. */
  'ledger:read': ['member', 'admin', 'agent'],
  /** Send requests to the language models of the agent's own tier. */
  'models:use': ['agent'],
  /** An agent reads only its own use. */
  'models:read': ['member', 'admin', 'agent'],
  /** Prices, purchases and auctions; an agent sees purchases of its own. */
  'trade:read': ['member', 'admin', 'agent'],
  /** An agent buys for itself, an admin for any agent; the handler checks this. */
  'trade:buy': ['admin', 'agent'],
  'auction:run': ['admin'],
  'auction:bid': ['agent'],
  'account:self': ['member', 'admin'],
  'audit:read': ['admin'],
  /**
   * Read proofs from the log: an agent only those of its own money, and only an admin those of acts and turns; the
   * handler checks this.
   */
  'log:prove': ['member', 'admin', 'agent'],
  'accounts:read': ['admin'],
  'accounts:change': ['admin'],
  'accounts:ban': ['admin'],
  /** Write tiers, and pin agents to them. */
  'entitlements:change': ['admin'],
  operator: ['operator'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof PERMISSIONS;

/** Permissions with which an agent may act only if `{agent_id}` is its own id. */
export const OWN_AGENT_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>([
  'agent:steer',
  'agent:self',
  'ledger:read',
  'models:read',
]);

/** Whether a role has a permission. The handler checks whether an object belongs to the agent. */
export function roleMay(role: Role, permission: Permission): boolean {
  return (PERMISSIONS[permission] as readonly Role[]).includes(role);
}
