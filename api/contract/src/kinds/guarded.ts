import * as z from 'zod';

const VALIDATIONS = 'x-kubernetes-validations';

/** `holds` for zod, `rule` (CEL) for the API server. A rule with `oldSelf` has no `holds`: zod sees one object. */
export interface Twin<T> {
  readonly holds?: (value: T) => boolean;
  readonly rule: string;
  /** Names the valid value to write. */
  readonly message: string;
}

/** Adds the twins as refinements and as `x-kubernetes-validations`. Call it before `.optional()` and `.default()`. */
export function guarded<S extends z.ZodType>(schema: S, twins: readonly Twin<z.output<S>>[]): S {
  let checked = schema;
  for (const { holds, message } of twins) {
    if (holds !== undefined) checked = checked.refine(holds, { message });
  }
  const earlier = schema.meta()?.[VALIDATIONS];
  const rules = [...(Array.isArray(earlier) ? earlier : []), ...twins.map(({ rule, message }) => ({ rule, message }))];
  return checked.meta({ ...schema.meta(), [VALIDATIONS]: rules });
}

/** A default that the reader adds: one of the API server would belong to the tool that applied the object. */
export function defaultWhenAbsent<S extends z.ZodType>(
  schema: S,
  meaning: z.input<S>,
): z.ZodPipe<z.ZodOptional<S>, z.ZodTransform<z.output<S>, z.output<S> | undefined>> {
  const read = schema.parse(meaning);
  return schema.optional().transform((given) => given ?? read);
}
