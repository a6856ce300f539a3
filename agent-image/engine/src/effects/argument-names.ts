import { z } from 'zod';

/** The names of a tool's arguments in their order; `?` marks those that may be left out. */
export function argumentNames(input: z.ZodType): readonly string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
}
