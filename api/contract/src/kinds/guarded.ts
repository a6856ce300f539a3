import type * as z from 'zod';

const VALIDATIONS = 'x-kubernetes-validations';

/**
 * One rule told twice: `holds` for zod, `rule` (CEL) for the API server, one message for both.
 * A transition rule (`oldSelf`) has no `holds`, because zod sees one object only.
 */
export interface Twin<T> {
  readonly holds?: (value: T) => boolean;
  readonly rule: string;
  /** Says what to write instead. */
  readonly message: string;
}

/** `schema` with every twin added as a refinement and as an `x-kubernetes-validations` entry. Call it before `.optional()` and `.default()`. */
export function guarded<S extends z.ZodType>(schema: S, twins: readonly Twin<z.output<S>>[]): S {
  let checked = schema;
  for (const { holds, message } of twins) {
    if (holds !== undefined) checked = checked.refine(holds, { message });
  }
  const earlier = schema.meta()?.[VALIDATIONS];
  const rules = [...(Array.isArray(earlier) ? earlier : []), ...twins.map(({ rule, message }) => ({ rule, message }))];
  return checked.meta({ ...schema.meta(), [VALIDATIONS]: rules });
}
