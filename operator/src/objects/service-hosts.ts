/**
 * The Services that agents reach. The resident gets their addresses when its pod is created, and looks up no name: the pod has no
 * DNS, and the kubelet shares one /etc/hosts among its containers, which root in the hands can write.
 */
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

/** A URL with the address of its Service instead of the name; unchanged if the host is not a known Service. */
export function withAddress(url: string, hosts: readonly ServiceHost[]): string {
  const { hostname } = new URL(url);
  const address = hosts.find(({ name }) => name === hostname)?.address;
  if (address === undefined) return url;
  return url.replace(`//${hostname}`, `//${address.includes(':') ? `[${address}]` : address}`);
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
