import * as z from 'zod';

export const GROUP = 'hamlet.village';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;
/** `kubectl get village` lists the kinds of this category. */
export const CATEGORY = 'village';

const Labels = z.record(z.string(), z.string());

/** The API server validates the rest. */
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
