import { isJsonObject } from './canonical-json.ts';
import { schemaAt, type JsonSchema } from './guide.ts';

/** Keywords whose schemas apply to the same value as the schema around them. */
const SAME_VALUE: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'allOf',
  'anyOf',
  'oneOf',
  'dependentSchemas',
]);
const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef']);

/** A schema that names another one for the same value, and where. */
type Step = Readonly<{ from: object; to: unknown; path: string; isReference: boolean }>;

/**
 * The path of a reference by which a schema leads back to itself for the same value, so that its check would run without end; null if
 * all checks end. In properties and elements a schema may refer to itself. Pure.
 */
export function loopIn(root: JsonSchema): string | null {
  let steps = [...placesIn(root)].flatMap(([schema, place]) => stepsFrom(schema, place, root));
  // Each step of a loop has a step before it and a step after it.
  for (let count = 0; count !== steps.length;) {
    count = steps.length;
    const begins = new Set<unknown>(steps.map(({ from }) => from));
    const ends = new Set(steps.map(({ to }) => to));
    steps = steps.filter(({ from, to }) => ends.has(from) && begins.has(to));
  }
  return steps.find(({ isReference }) => isReference)?.path ?? null;
}

/** All objects in a schema, schemas and others, with their places, such as `#/$defs/node`. */
function placesIn(root: JsonSchema): ReadonlyMap<object, string> {
  const places = new Map<object, string>([[root, '#']]);
  // The map grows while it is read.
  for (const [part, path] of places)
    for (const [name, value] of Object.entries(part))
      if (typeof value === 'object' && value !== null) places.set(value, `${path}/${name}`);
  return places;
}

function stepsFrom(schema: object, place: string, root: JsonSchema): readonly Step[] {
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([name, value]): readonly Step[] => {
    const path = `${place}/${name}`;
    const step = (to: unknown): Step => ({ from: schema, to, path, isReference: REFERENCES.has(name) });
    if (REFERENCES.has(name)) return [step(schemaAt(value, root))];
    if (!SAME_VALUE.has(name)) return [];
    const isMany = Array.isArray(value) || (name === 'dependentSchemas' && isJsonObject(value));
    return isMany ? Object.values(value as object).map(step) : [step(value)];
  });
}
