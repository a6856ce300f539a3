/** The Services that agents reach. Their pods have no DNS, so each pod gets the addresses when it is created. */
import type { KubeObject } from '@hamlet/kube';

export interface ServiceHost {
  readonly name: string;
  readonly address: string;
}

export interface ServiceView extends KubeObject {
  /** Undefined before the Service has one, and for a headless Service. */
  readonly address: string | undefined;
}

interface RawService extends KubeObject {
  readonly spec?: { readonly clusterIP?: string };
}

export function serviceView({ metadata, spec }: RawService): ServiceView {
  const { name, namespace, uid, resourceVersion } = metadata;
  const address = spec?.clusterIP;
  return {
    metadata: { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) },
    address: address === undefined || address === '' || address === 'None' ? undefined : address,
  };
}

export function hostsText(hosts: readonly ServiceHost[]): string {
  return hosts.map(({ name, address }) => `${name}=${address}`).join(' ');
}

/**
 * The current hosts, by name. A deleted Service keeps its last address: it usually returns with another one, and each pod is then
 * replaced once instead of twice.
 */
export function nextHosts(known: readonly ServiceHost[], services: Iterable<ServiceView>): readonly ServiceHost[] {
  const hosts = new Map(known.map((host) => [host.name, host]));
  for (const { metadata, address } of services)
    if (address !== undefined) hosts.set(metadata.name, { name: metadata.name, address });
  return [...hosts.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}
