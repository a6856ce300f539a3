export interface StoredMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: unknown;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: StoredMeta;
}

export interface NewObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string; readonly namespace?: string };
}

export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** `namespace/name`, or `name` without a namespace: the key of caches and queues. */
export function keyOf(metadata: { readonly name: string; readonly namespace?: string | undefined }): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

export function pathOf(
  type: ResourceType,
  at: { readonly namespace?: string | undefined; readonly name?: string; readonly subresource?: string },
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const parts = [root];
  if (at.namespace !== undefined) parts.push(`namespaces/${encodeURIComponent(at.namespace)}`);
  parts.push(type.plural);
  if (at.name !== undefined) parts.push(encodeURIComponent(at.name));
  if (at.subresource !== undefined) parts.push(at.subresource);
  return parts.join('/');
}

const ofVersion1 = (group: string, plural: string, kind: string): ResourceType => {
  return { group, version: 'v1', plural, kind };
};
const core = (plural: string, kind: string): ResourceType => ofVersion1('', plural, kind);

export const PODS = core('pods', 'Pod');
export const CONFIG_MAPS = core('configmaps', 'ConfigMap');
export const SECRETS = core('secrets', 'Secret');
export const CLAIMS = core('persistentvolumeclaims', 'PersistentVolumeClaim');
export const VOLUMES = core('persistentvolumes', 'PersistentVolume');
export const SERVICE_ACCOUNTS = core('serviceaccounts', 'ServiceAccount');
export const EVENTS = core('events', 'Event');
export const NODES = core('nodes', 'Node');
export const SERVICES = core('services', 'Service');
export const NAMESPACES = core('namespaces', 'Namespace');
export const LEASES = ofVersion1('coordination.k8s.io', 'leases', 'Lease');
export const TOKEN_REVIEWS = ofVersion1('authentication.k8s.io', 'tokenreviews', 'TokenReview');

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The object without managedFields and kubectl's copy of the manifest: they are large, and no controller reads them. */
export function slim<T extends KubeObject>(object: T): T {
  const { managedFields: _fields, annotations, ...metadata } = object.metadata;
  if (annotations === undefined) return { ...object, metadata };
  const { [LAST_APPLIED]: _applied, ...kept } = annotations;
  return { ...object, metadata: { ...metadata, annotations: kept } };
}
