/** `visitor` has no session, `agent` an agent token; `operator` and `broker` each have their own projected token. */
export const ROLES = ['visitor', 'member', 'admin', 'agent', 'operator', 'broker'] as const;
export type Role = (typeof ROLES)[number];

/** The audience of a port. `people`: 8080. `agents`: 8081, in the cluster only. */
export type Audience = 'people' | 'agents';

export const PERMISSIONS = {
  /** Open to everyone: the API calls the handler without a credential. */
  anyone: ['visitor', 'member', 'admin', 'agent', 'operator', 'broker'],
  'world:read': ['visitor', 'member', 'admin', 'agent', 'operator'],
  /** An agent for itself, an admin for any agent. */
  'agent:steer': ['admin', 'agent'],
  'agent:lifecycle': ['admin'],
  /** Creates, changes and deletes Agents of the cluster. */
  'agent:manage': ['admin'],
  'standing:read': ['member', 'admin'],
  'standing:change': ['admin'],
  'village:freeze': ['admin'],
  'village:settings': ['admin'],
  'agent:self': ['agent'],
  'turns:read': ['member', 'admin'],
  'figures:read': ['member', 'admin'],
  /** A member may end only the runs that they created. */
  'run:create': ['member', 'admin'],
  'runs:read': ['member', 'admin'],
  'workers:read': ['member', 'admin', 'agent'],
  /** An agent reads only its own. */
  'scripts:read': ['member', 'admin', 'agent'],
  /** A member answers only for their own runs and sessions; the handler checks this. */
  'permission:answer': ['member', 'admin'],
  /** The handler checks that the run is the agent's. */
  'run:work': ['agent'],
  /** Only people of the session and admins; an agent reads only its own. The handler checks this. */
  'sessions:read': ['member', 'admin', 'agent'],
  /** Only people of the session, and admins; the handler checks this. */
  'sessions:write': ['member', 'admin'],
  /** Only what arose with the caller, and what everybody may know; an admin reads more on request. The handler checks this. */
  'memory:read': ['member', 'admin'],
  /** Only an admin changes what everybody may know; the handler checks this. */
  'memory:change': ['member', 'admin'],
  /** An agent reads only its own; only it and admins read prompts. The handler checks this. */
  'schedules:read': ['member', 'admin', 'agent'],
  'schedules:write': ['admin'],
  /** Row-level security decides which posts a viewer sees. */
  'board:read': ['visitor', 'member', 'admin', 'agent'],
  'board:write': ['member', 'admin', 'agent'],
  'board:moderate': ['admin'],
  /** A member may use only the allowance of the day. */
  'economy:judge': ['member', 'admin'],
  'payments:pay': ['member', 'admin'],
  'payments:manage': ['admin'],
  /** An agent reads only its own account. */
  'ledger:read': ['member', 'admin', 'agent'],
  /** Only models of the agent's own tier. */
  'models:use': ['agent'],
  /** An agent reads only its own use. */
  'models:read': ['member', 'admin', 'agent'],
  'models:manage': ['admin'],
  /** An agent sees only its own purchases. */
  'trade:read': ['member', 'admin', 'agent'],
  /** An agent buys for itself, an admin for any agent; the handler checks this. */
  'trade:buy': ['admin', 'agent'],
  'auction:run': ['admin'],
  'auction:bid': ['agent'],
  /** Needs a session: no scope of an API key includes it. */
  'account:self': ['member', 'admin'],
  /** The name and role of the caller. */
  'account:read': ['member', 'admin'],
  /** Marks what the caller has seen, which changes only what counts as new for them. */
  'account:mark': ['member', 'admin'],
  /** Each tool also needs the permission of its own route. */
  'mcp:use': ['member', 'admin'],
  /** The answer has texts of a run only if the admin may read the run. */
  'policy:try': ['admin'],
  'audit:read': ['admin'],
  /** An agent gets proofs only of its own money, a member no proofs of acts or turns; the handler checks this. */
  'log:prove': ['member', 'admin', 'agent'],
  'accounts:read': ['admin'],
  /** The name behind an id that a page shows. */
  'accounts:name': ['member', 'admin'],
  'accounts:change': ['admin'],
  'accounts:ban': ['admin'],
  'entitlements:change': ['admin'],
  operator: ['operator'],
  broker: ['broker'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type RoutePermission = keyof typeof PERMISSIONS;

/** Permissions that an agent may use only if `{agent_id}` is its own id. */
export const OWN_AGENT_PERMISSIONS: ReadonlySet<RoutePermission> = new Set<RoutePermission>([
  'agent:steer',
  'agent:self',
  'ledger:read',
  'models:read',
  'scripts:read',
]);

/** The handler checks whether an object belongs to the agent. */
export function roleMay(role: Role, permission: RoutePermission): boolean {
  return (PERMISSIONS[permission] as readonly Role[]).includes(role);
}
