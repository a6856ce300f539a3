export { Broker, type BrokerConfig } from './broker.ts';
export { systemNetwork, type Network } from './connect/reach.ts';
export { Authority, createAuthority, type AuthorityFiles } from './tls/authority.ts';
export type { Admission, Attempt, AttemptEnd, EgressForm, PermissionAsk, Village } from './village.ts';
