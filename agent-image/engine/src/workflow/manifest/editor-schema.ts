import { z } from 'zod';
import { isJsonObject } from '../../json/canonical-json.ts';
import type { ConfigPath } from '../plan/config-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON Schema (draft 2020-12) of what people write: fields with a default are optional. Pure. */
export const editorSchema = (schema: z.ZodType): JsonObject =>
  z.toJSONSchema(schema, { io: 'input', reused: 'inline' });

/** The keys that a schema knows at a path of a value. If there are several forms, those count whose constants the value has. Pure. */
export function keysAt(root: JsonObject, value: unknown, path: ConfigPath): readonly string[] {
  let schemas: readonly JsonObject[] = [root];
  let at: unknown = value;
  for (const part of path) {
    schemas = schemas.flatMap((schema) => formsOf(schema, at)).flatMap((schema) => partOf(schema, part));
    at = (at as Readonly<Record<string | number, unknown>> | null | undefined)?.[part];
  }
  return [...new Set(schemas.flatMap((schema) => formsOf(schema, at)).flatMap(namesOf))];
}

const namesOf = ({ properties = {} }: JsonObject): readonly string[] => Object.keys(properties as JsonObject);

function partOf(schema: JsonObject, part: string | number): readonly JsonObject[] {
  const { properties = {}, items, additionalProperties } = schema;
  const named = typeof part === 'number' ? items : ((properties as JsonObject)[part] ?? additionalProperties);
  return isJsonObject(named) ? [named] : [];
}

/** The schema, or the forms of a union that a value may mean. */
function formsOf(schema: JsonObject, value: unknown): readonly JsonObject[] {
  const forms = [schema['oneOf'], schema['anyOf']].flatMap((each) =>
    Array.isArray(each) ? (each as JsonObject[]) : [],
  );
  if (forms.length === 0) return [schema];
  const fitting = forms.filter((form) => isFormOf(form, value));
  return (fitting.length > 0 ? fitting : forms).flatMap((form) => formsOf(form, value));
}

/** True if the form is of the value's type, and the value has all of its constants. */
function isFormOf({ type, properties = {} }: JsonObject, value: unknown): boolean {
  if (!isJsonObject(value)) return type !== 'object';
  if (type !== 'object' && type !== undefined) return false;
  return Object.entries(properties as Readonly<Record<string, JsonObject>>).every(
    ([name, { const: only, enum: some }]) => {
      const own = value[name];
      if (own === undefined || (only === undefined && !Array.isArray(some))) return true;
      return only === undefined ? (some as unknown[]).includes(own) : own === only;
    },
  );
}
