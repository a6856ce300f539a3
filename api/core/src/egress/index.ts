export { classifyAddress, isInNetwork, type AddressClass } from './address.ts';
export {
  hostsInCommand,
  hostsInMessage,
  hostsInWords,
  isAskableHost,
  isInternational,
  opensWith,
  ruleOfOpenedHost,
} from './ask-host.ts';
export { egressPolicyOf, isSupply, USUAL_REGISTRIES, type EgressLayers } from './egress-policy.ts';
export {
  asksAboutWrites,
  deny,
  fitsHost,
  judgeConnection,
  mayConnect,
  normalHost,
  registryOff,
  type ConnectionVerdict,
  type Destination,
  type EgressDenial,
} from './judge-egress.ts';
export { judgeWire, type WireEffect, type WireRequest, type WireVerdict } from './judge-wire.ts';
export { endToEnd, outgoingHeaders, type WireHeaders } from './wire-headers.ts';
