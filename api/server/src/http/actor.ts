/**
 * Who makes a request, as the credentials say; names are never taken from the request's own words.
 * `podUid` is that of the pod that exchanged the token; null for a token of development. `stale`: a newer run cycle of the agent has begun.
 */
export type Actor =
  | { readonly role: 'visitor'; readonly id: string }
  | { readonly role: 'member' | 'admin'; readonly id: string; readonly accountId: string | null; readonly name: string }
  | {
      readonly role: 'agent';
      readonly id: string;
      readonly agentId: string;
      readonly uid: string;
      readonly podUid: string | null;
      readonly cycle: number;
      readonly stale: boolean;
    }
  | { readonly role: 'operator'; readonly id: string };

export type AgentActor = Extract<Actor, { role: 'agent' }>;
