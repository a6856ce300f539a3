import { isJsonObject } from '../../json/canonical-json.ts';
import { schemaAt, type JsonSchema } from '../../json/guide.ts';

/**
 * The number of schemas that are checked for one value, each reference counted with its whole target: infinite if the schema refers to
 * itself. A short schema whose parts each refer twice to the next one would otherwise be checked for years. Pure.
 */
export function schemaWork(root: JsonSchema): number {
  const known = new Map<object, number>();
  const workOf = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 0;
    const before = known.get(part);
    if (before !== undefined) return before;
    known.set(part, Infinity);
    let work = 1;
    for (const value of Object.values(part)) work += workOf(value);
    if (isJsonObject(part) && typeof part['$ref'] === 'string') work += workOf(schemaAt(part['$ref'], root));
    known.set(part, work);
    return work;
  };
  return workOf(root);
}
