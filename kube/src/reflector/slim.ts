import type { KubeObject } from '../kube-object.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The object without what no controller reads and what weighs most: managedFields and kubectl's copy of the manifest. */
export function slim<T extends KubeObject>(object: T): T {
  const { managedFields: _fields, annotations, ...metadata } = object.metadata;
  if (annotations === undefined) return { ...object, metadata };
  const { [LAST_APPLIED]: _applied, ...kept } = annotations;
  return { ...object, metadata: { ...metadata, annotations: kept } };
}
