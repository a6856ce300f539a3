/** The closed list of what the JSON engine changes. */
export const SYNTAX_ACTIONS = [
  'removed_thoughts',
  'taken_from_text',
  'taken_from_fence',
  'decoded_text',
  'unescaped',
  'decoded_entities',
  'quotes_replaced',
  'quotes_added',
  'inner_quotes_kept',
  'control_characters_kept',
  'backslashes_kept',
  'commas_added',
  'commas_removed',
  'colons_added',
  'brackets_added',
  'brackets_removed',
  'brackets_replaced',
  'comments_removed',
  'literals_replaced',
  'numbers_rewritten',
  'texts_joined',
] as const;
export const SCHEMA_ACTIONS = [
  'text_to_number',
  'number_to_text',
  'text_to_boolean',
  'boolean_to_text',
  'text_to_null',
  'text_to_list',
  'text_to_object',
  'wrapped_in_list',
  'key_renamed',
  'null_dropped',
  'case_changed',
  'default_added',
] as const;
export type RepairAction = (typeof SYNTAX_ACTIONS)[number] | (typeof SCHEMA_ACTIONS)[number];
export const REPAIR_ACTIONS: readonly RepairAction[] = [...SYNTAX_ACTIONS, ...SCHEMA_ACTIONS];

/**
 * `JSON_SYNTAX_ERROR`: the text has no JSON, or several readings. `JSON_SCHEMA_MINOR_MISMATCH`: values of some fields do not fit.
 * `JSON_SCHEMA_MAJOR_MISMATCH`: a required field is missing, or the whole is another kind of value.
 */
export const JSON_ERROR_CODES = [
  'JSON_SYNTAX_ERROR',
  'JSON_SCHEMA_MINOR_MISMATCH',
  'JSON_SCHEMA_MAJOR_MISMATCH',
] as const;
export type JsonErrorCode = (typeof JSON_ERROR_CODES)[number];

/** `category`: the error that the text would have had without the repair; null if nothing was changed. */
export type Repair = Readonly<{ category: JsonErrorCode | null; actions: readonly RepairAction[] }>;

const SYNTAX: ReadonlySet<string> = new Set(SYNTAX_ACTIONS);

const UNCHANGED: Repair = { category: null, actions: [] };

/** The repair with its actions, in the order of the list. Pure. */
export function repairOf(actions: ReadonlySet<RepairAction>): Repair {
  if (actions.size === 0) return UNCHANGED;
  const done = REPAIR_ACTIONS.filter((action) => actions.has(action));
  const isSyntax = done.some((action) => SYNTAX.has(action));
  return { category: isSyntax ? 'JSON_SYNTAX_ERROR' : 'JSON_SCHEMA_MINOR_MISMATCH', actions: done };
}
