import * as z from 'zod';

const VALIDATIONS = 'x-kubernetes-validations';

/**
 * One rule in two forms: `holds` for zod, `rule` (CEL) for the API server. A rule with `oldSelf` has no `holds`,
 * because zod sees only the new object.
 */
export interface Twin<T> {
  readonly holds?: (value: T) => boolean;
  readonly rule: string;
  /** Says which value is valid. */
  readonly message: string;
}

/** Adds the rules as refinements and as `x-kubernetes-validations`. Call it before `.optional()` and `.default()`. */
export function guarded<S extends z.ZodType>(schema: S, twins: readonly Twin<z.output<S>>[]): S {
  let checked = schema;
  for (const { holds, message } of twins) {
    if (holds !== undefined) checked = checked.refine(holds, { message });
  }
  const earlier = schema.meta()?.[VALIDATIONS];
  const rules = [...(Array.isArray(earlier) ? earlier : []), ...twins.map(({ rule, message }) => ({ rule, message }))];
  return checked.meta({ ...schema.meta(), [VALIDATIONS]: rules });
}

/** A default that readers add. A default of the API server would become a field of the tool that applied the object. */
export function defaultWhenAbsent<S extends z.ZodType>(
  schema: S,
  meaning: z.input<S>,
): z.ZodPipe<z.ZodOptional<S>, z.ZodTransform<z.output<S>, z.output<S> | undefined>> {
  const read = schema.parse(meaning);
  return schema.optional().transform((given) => given ?? read);
}
