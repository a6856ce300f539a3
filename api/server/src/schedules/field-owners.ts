import { z } from 'zod';

const ManagedFields = z.array(
  z.object({
    manager: z.string().default(''),
    subresource: z.string().optional(),
    fieldsV1: z.object({ 'f:spec': z.record(z.string(), z.unknown()).optional() }).optional(),
  }),
);

/** Who besides `ours` manages each field of an object's spec, as its `metadata.managedFields` say. Pure. */
export function otherOwners(managedFields: unknown, ours: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { manager, subresource, fieldsV1 } of ManagedFields.parse(managedFields ?? [])) {
    if (manager === ours || subresource !== undefined) continue;
    for (const key of Object.keys(fieldsV1?.['f:spec'] ?? {})) owners.set(key.replace(/^f:/, ''), manager);
  }
  return owners;
}
