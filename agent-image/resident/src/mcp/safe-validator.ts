import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

export const SCHEMA_MAX_CHARS = 16_384;
/** Left out, because an untrusted regular expression can take hours. The server checks these keywords itself. */
const LEFT_OUT: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format', '$id', 'id', '$schema']);
/** Keys whose values are field names, not keywords. */
const NAMES: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

export type JsonObject = Readonly<Record<string, unknown>>;

/** The schema without the parts that could harm the resident. */
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

/** The library's validator, for untrusted schemas. */
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
