import { isJsonObject } from './canonical-json.ts';
import {
  admits,
  elementGuide,
  guideFor,
  isNamed,
  isRequired,
  namesOf,
  propertyGuide,
  typesOf,
  type Guide,
} from './guide.ts';
import { isHeld, Numeral, parseWithNumerals, setOwn, withoutNumerals, type LongNumber } from './numeral.ts';
import type { RepairAction } from './repair.ts';

const LEVELS_MAX = 40;
const DECODINGS_MAX = 3;
/** Maximum number of members of an object for their names to be compared with those of the schema. */
const NAMES_MAX = 200;
const NUMBER = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Characters of JSON that may still be added as defaults; less than 0 if they did not suffice. Mutable. */
export type RoomForDefaults = { left: number };

/**
 * `long`: how to represent a number that JavaScript cannot hold. `defaults`: fields that are left out get the value of the schema, as long
 * as there is room; null: they get none.
 */
type Coercion = Readonly<{
  long: LongNumber;
  defaults: RoomForDefaults | null;
  /** True if the value fits as it is, without renamed fields. */
  keepsNames: boolean;
  act: (action: RepairAction) => void;
  levels: number;
}>;
export type CoercionOptions = Readonly<{ long: LongNumber }> & Partial<Omit<Coercion, 'long' | 'levels'>>;

/**
 * The value with the types that the schema wants, where a model wrote another form of the same value: `"50"`, `"true"`, `"[1, 2]"`,
 * `5` for a text. Every digit is kept; a value with several possible meanings stays as it is. Pure.
 */
export function coerced(node: unknown, guide: Guide | null, options: CoercionOptions): unknown {
  const { long, act = () => {}, defaults = null, keepsNames = false } = options;
  return fitted(node, guide, { long, act, defaults, keepsNames, levels: LEVELS_MAX });
}

function fitted(node: unknown, guide: Guide | null, given: Coercion): unknown {
  if (guide === null || given.levels === 0) return withoutNumerals(node, given.long);
  const by = { ...given, levels: given.levels - 1 };
  const types = typesOf(guide);
  const meant = admits(types, node) ? null : (asWanted(node, types, by) ?? asList(node, guide, by));
  const value = meant === null ? node : meant.value;
  if (Array.isArray(value)) {
    const own = guideFor(guide, value);
    return value.map((each, index) => fitted(each, elementGuide(own, index), by));
  }
  if (isJsonObject(value) && !(value instanceof Numeral)) return objectOf(value, guideFor(guide, value), by);
  return typeof value === 'string' ? inCase(value, guide, by) : withoutNumerals(value, by.long);
}

type Meant = Readonly<{ value: unknown }> | null;

function acted({ act }: Coercion, action: RepairAction, value: unknown): Meant {
  act(action);
  return { value };
}

function asWanted(node: unknown, types: ReadonlySet<string>, by: Coercion): Meant {
  if (typeof node === 'string') return fromText(node.trim(), types, by);
  if (!types.has('string')) return null;
  if (typeof node === 'boolean') return acted(by, 'boolean_to_text', String(node));
  if (node instanceof Numeral) return acted(by, 'number_to_text', node.source);
  return typeof node === 'number' ? acted(by, 'number_to_text', String(node)) : null;
}

function fromText(text: string, types: ReadonlySet<string>, by: Coercion): Meant {
  const isNumber = types.has('integer') || types.has('number');
  if (isNumber && NUMBER.test(text)) return numberOf(text, types, by);
  const word = text.toLowerCase();
  if (types.has('boolean') && /^(?:true|false)$/.test(word)) return acted(by, 'text_to_boolean', word === 'true');
  if (types.has('null') && word === 'null') return acted(by, 'text_to_null', null);
  return types.has('array') || types.has('object') ? partOf(text, types, by) : null;
}

function partOf(text: string, types: ReadonlySet<string>, by: Coercion): Meant {
  const inner = decodedText(text);
  if (inner === null || !admits(types, inner)) return null;
  return acted(by, Array.isArray(inner) ? 'text_to_list' : 'text_to_object', inner);
}

function numberOf(text: string, types: ReadonlySet<string>, by: Coercion): Meant {
  const source = text.replace(/^\+/, '');
  if (!types.has('number') && !Number.isInteger(Number(source))) return null;
  return acted(by, 'text_to_number', isHeld(source) ? Number(source) : new Numeral(source));
}

/** The list or object in a text, which may be a text of JSON again; null in any other text. */
export function decodedText(text: string): unknown {
  let at: unknown = text;
  for (let times = 0; typeof at === 'string' && times < DECODINGS_MAX; times += 1) {
    if (!/^\s*["{[]/.test(at)) return null;
    try {
      at = parseWithNumerals(at);
    } catch {
      return null;
    }
  }
  return typeof at === 'object' ? at : null;
}

/** Wraps a value in a list where the schema wants a list; not a text with commas, which may be a list in words. */
function asList(node: unknown, guide: Guide, by: Coercion): Meant {
  if (node === null || !typesOf(guide).has('array')) return null;
  if (typeof node === 'string' && /[,;\n]/.test(node)) return null;
  const elements = typesOf(elementGuide(guideFor(guide, []), 0));
  return elements.size > 0 && admits(elements, node) ? acted(by, 'wrapped_in_list', [node]) : null;
}

function objectOf(value: Record<string, unknown>, guide: Guide | null, by: Coercion): unknown {
  const result: Record<string, unknown> = {};
  const members = Object.entries(value);
  const keepsNames = by.keepsNames || members.length > NAMES_MAX;
  for (const [written, member] of members) {
    const name = keepsNames ? written : nameOf(written, value, guide);
    if (name !== written) by.act('key_renamed');
    const own = propertyGuide(guide, name);
    if (member === null && guide !== null && isDroppable(guide, name, own)) by.act('null_dropped');
    else setOwn(result, name, fitted(member, own, by));
  }
  if (by.defaults !== null && guide !== null) addDefaults(result, { guide, room: by.defaults, act: by.act });
  return result;
}

type Adding = Readonly<{ guide: Guide; room: RoomForDefaults; act: Coercion['act'] }>;

function addDefaults(result: Record<string, unknown>, { guide, room, act }: Adding): void {
  for (const name of namesOf(guide)) {
    const { schema = {} } = propertyGuide(guide, name) ?? {};
    if (Object.hasOwn(result, name) || isRequired(guide, name) || !('default' in schema)) continue;
    if (room.left >= 0) room.left -= name.length + (JSON.stringify(schema['default']) ?? '').length;
    if (room.left < 0) return;
    act('default_added');
    setOwn(result, name, structuredClone(schema['default']));
  }
}

/** Models write null for what they leave out. */
const isDroppable = (guide: Guide, name: string, own: Guide | null): boolean =>
  isNamed(guide, name) && !isRequired(guide, name) && !admits(typesOf(own), null);

/** A name without case, `_`, `-` and blanks. Pure. */
export const bareName = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** The name that the schema has for a member: `filePath` means `file_path` if only one name can be meant. */
function nameOf(written: string, value: Record<string, unknown>, guide: Guide | null): string {
  if (guide === null || isNamed(guide, written)) return written;
  const meant = namesOf(guide).filter((name) => bareName(name) === bareName(written) && !Object.hasOwn(value, name));
  const isAlone = Object.keys(value).filter((name) => bareName(name) === bareName(written)).length === 1;
  return meant.length === 1 && isAlone ? (meant[0] ?? written) : written;
}

/** The value of a list of texts that differs only by case and white space around it. */
function inCase(text: string, guide: Guide, by: Coercion): string {
  const { enum: values } = guideFor(guide, text)?.schema ?? {};
  if (!Array.isArray(values) || values.includes(text)) return text;
  const wanted = text.trim().toLowerCase();
  const [meant, second] = values.filter((each) => typeof each === 'string' && each.toLowerCase() === wanted);
  if (typeof meant !== 'string' || second !== undefined) return text;
  by.act('case_changed');
  return meant;
}
