/** Parts of the schema of the values that several of its files use. */

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
/** A name of a Kubernetes object, or nothing. */
export const name: Schema = { type: 'string', pattern: '^([a-z0-9]([a-z0-9.-]*[a-z0-9])?)?$', maxLength: 253 };
export const quantity: Schema = {
  type: ['string', 'number'],
  pattern: '^[0-9]+(\\.[0-9]+)?(m|Ki|Mi|Gi|Ti|k|M|G|T)?$',
};

/** An object without other properties. */
export function closed(properties: Schema): Schema {
  return { type: 'object', properties, additionalProperties: false };
}

/** A map of objects by name; null removes one of the chart's defaults. */
export function byName(spec: Schema, maxLength: number): Schema {
  return {
    type: 'object',
    propertyNames: { pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$', maxLength },
    additionalProperties: { anyOf: [{ type: 'null' }, spec] },
  };
}
