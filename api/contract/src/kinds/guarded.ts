import * as z from 'zod';

const VALIDATIONS = 'x-kubernetes-validations';

/**
 * One rule in two forms: `holds` for zod, `rule` (CEL) for the API server, with one message. A transition rule (`oldSelf`) has no `holds`,
 * because zod sees one object only.
 */
export interface Twin<T> {
  readonly holds?: (value: T) => boolean;
  readonly rule: string;
  /** The message for both forms: it says what to write instead. */
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

/**
 * A field with the default `meaning`, which the code that parses the object fills in. Use it for fields that the API
 * or the kubectl plugin changes in an object that another tool applied: a default written by the API server would
 * belong to that tool, and each such change would be a conflict.
 */
export function defaultWhenAbsent<S extends z.ZodType>(
  schema: S,
  meaning: z.input<S>,
): z.ZodPipe<z.ZodOptional<S>, z.ZodTransform<z.output<S>, z.output<S> | undefined>> {
  const read = schema.parse(meaning);
  return schema.optional().transform((given) => given ?? read);
}
