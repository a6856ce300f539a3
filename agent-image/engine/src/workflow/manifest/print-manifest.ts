import { isDeepStrictEqual } from 'node:util';
import {
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type Document,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isJsonObject } from '../../json/canonical-json.ts';
import { editorSchema, withoutDefaults, type JsonObject } from './editor-schema.ts';
import { MANIFESTS, type ManifestName } from './manifests.ts';

/** Long texts keep their lines. */
const FORMAT = { lineWidth: 0 } as const;

/**
 * The YAML text of a manifest. Fields with their default are left out, and known fields stand in the order of the schema, so equal values
 * have equal texts.
 *
 * `before`: a text that `readYaml` takes. Its comments, its order and the form of unchanged values are kept. Pure.
 */
export function printManifest(name: ManifestName, value: JsonObject, before?: string): string {
  const short = withoutDefaults(editorSchema(MANIFESTS[name]), value);
  if (before === undefined) return stringify(short, FORMAT);
  const document = parseDocument(before, { schema: 'core', stringKeys: true });
  document.contents = merged(document, document.contents, { full: value, short }) as typeof document.contents;
  return document.toString(FORMAT);
}

/** `full`: with the defaults, which stay where the text has them. `short`: without, for what is added. */
type Printed<T = unknown> = Readonly<{ full: T; short: unknown }>;

function merged(document: Document, node: Node | null, { full, short }: Printed): Node {
  if (node !== null && isDeepStrictEqual(node.toJS(document), full)) return node;
  if (isMap<Node, Node | null>(node) && isJsonObject(full)) return mergedMap(document, node, { full, short });
  if (isSeq<Node>(node) && Array.isArray(full)) return mergedList(document, node, { full, short });
  return withComments(document.createNode(short), node);
}

function withComments(next: Node, before: Node | null): Node {
  if (!isScalar(before)) return next;
  const { comment = null, commentBefore = null, spaceBefore = false } = before;
  return Object.assign(next, { comment, commentBefore, spaceBefore });
}

function mergedMap(document: Document, map: YAMLMap<Node, Node | null>, { full, short }: Printed<JsonObject>): Node {
  const added = isJsonObject(short) ? short : full;
  map.items = map.items.filter(({ key }) => full[nameOf(key)] !== undefined);
  for (const pair of map.items) {
    const name = nameOf(pair.key);
    pair.value = merged(document, pair.value, { full: full[name], short: added[name] ?? full[name] });
  }
  for (const [name, value] of Object.entries(added))
    if (!map.has(name)) map.set(document.createNode(name), document.createNode(value));
  return map;
}

/** Entries are the same if they have the same id, or, without ids, the same place. */
function mergedList(document: Document, list: YAMLSeq<Node>, { full, short }: Printed<readonly unknown[]>): Node {
  const before = [...list.items];
  const ids = before.map((item) => idOf(item.toJS(document)));
  list.items = full.map((entry, index) => {
    const id = idOf(entry);
    const node = before[id === null ? index : ids.indexOf(id)];
    return merged(document, node ?? null, { full: entry, short: Array.isArray(short) ? short[index] : entry });
  });
  return list;
}

const nameOf = (key: Node): string => (isScalar(key) ? String(key.value) : '');

const idOf = (value: unknown): string | null =>
  isJsonObject(value) && typeof value['id'] === 'string' ? value['id'] : null;
