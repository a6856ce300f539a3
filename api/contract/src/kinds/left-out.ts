import * as z from 'zod';

/**
 * A field that may be left out and then means `meaning`, which whoever reads the object fills in.
 *
 * For fields that people change by other hands than the one that applied the object: the api, the plugin. The API
 * server would write a default into the object in the name of whoever left the field out, and each of those changes
 * would be a conflict with them.
 */
export function leftOutMeans<S extends z.ZodType>(
  schema: S,
  meaning: z.input<S>,
): z.ZodPipe<z.ZodOptional<S>, z.ZodTransform<z.output<S>, z.output<S> | undefined>> {
  const read = schema.parse(meaning);
  return schema.optional().transform((given) => given ?? read);
}
