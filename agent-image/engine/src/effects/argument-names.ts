import { z } from 'zod';

type Schema = z.core.JSONSchema._JSONSchema | undefined;

const below = (schema: Schema, part: string): Schema => {
  if (typeof schema !== 'object') return undefined;
  return schema.properties?.[part] ?? (Array.isArray(schema.items) ? undefined : schema.items);
};

/**
 * The names of a tool's arguments in their order, or those of the object at a path such as `items.0`; `?` marks those that may be
 * left out. Pure.
 */
export function argumentNames(input: z.ZodType, path = ''): readonly string[] {
  const parts = path === '' ? [] : path.split('.');
  const schema = parts.reduce<Schema>(below, z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
  const { properties = {}, required = [] } = typeof schema === 'object' ? schema : {};
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
}
