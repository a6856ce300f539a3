export { classifyAddress, isInNetwork, type AddressClass } from './judge-egress.ts';
export { egressPolicyOf, USUAL_REGISTRIES, type EgressLayers } from './egress-policy.ts';
export {
  asksAboutWrites,
  deny,
  fitsHost,
  judgeConnection,
  judgeRequest,
  mayConnect,
  normalHost,
  registryOff,
  type ConnectionVerdict,
  type Destination,
  type EgressDenial,
  type EgressRequest,
  type RequestVerdict,
} from './judge-egress.ts';
export { METHOD_OVERRIDES, writeKindOf, type WrittenRequest } from './write-kind.ts';
