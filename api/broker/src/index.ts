export { Broker, type BrokerConfig } from './broker.ts';
export { systemNetwork, type Network } from './connect/reach.ts';
export { Authority, type AuthorityFiles } from './tls/authority.ts';
export { createAuthority } from './tls/issuer.ts';
export type { Admission, Attempt, AttemptEnd, EgressForm, PermissionAsk, Village } from './village.ts';
