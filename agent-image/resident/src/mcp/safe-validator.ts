import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

/** Longest schema of a server, as JSON. */
export const SCHEMA_MAX_CHARS = 16_384;
/** Regular expressions of a stranger can take hours. The server checks them itself. */
const LEFT_OUT: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format', '$id', 'id', '$schema']);
/** Keys whose values are names of fields, and not keywords. */
const NAMES: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

export type JsonObject = Readonly<Record<string, unknown>>;

/** The schema without what could hurt the resident. */
export function withoutPatterns(schema: JsonObject, areNames = false): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => areNames || !LEFT_OUT.has(key))
      .map(([key, value]) => [key, cleaned(value, !areNames && NAMES.has(key))]),
  );
}

function cleaned(value: unknown, areNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => cleaned(each, false));
  return typeof value === 'object' && value !== null ? withoutPatterns(value as JsonObject, areNames) : value;
}

/** The validator of the library, for schemas that strangers wrote. */
export function createSafeValidator(): Pick<AjvJsonSchemaValidator, 'getValidator'> {
  const inner = new AjvJsonSchemaValidator();
  return {
    getValidator: (schema) => {
      if (JSON.stringify(schema).length > SCHEMA_MAX_CHARS)
        return () => ({ valid: false, data: undefined, errorMessage: 'the schema is too long' });
      return inner.getValidator(withoutPatterns(schema));
    },
  };
}
