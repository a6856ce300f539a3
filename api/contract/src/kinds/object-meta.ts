import * as z from 'zod';

/** API group of every kind of Hamlet. */
export const GROUP = 'hamlet.village';
/** The one version served. */
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;
/** `kubectl get village` lists every kind that carries this category. */
export const CATEGORY = 'village';

const Labels = z.record(z.string(), z.string());

/** Metadata that Hamlet reads; the API server validates the rest. */
export const ObjectMeta = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
  generation: z.int().optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: Labels.optional(),
  annotations: Labels.optional(),
  finalizers: z.array(z.string()).optional(),
});
export type ObjectMeta = z.infer<typeof ObjectMeta>;
