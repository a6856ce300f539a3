import type { ScriptArguments, ScriptParameters } from '@hamlet/contract';

type Parameter = ScriptParameters['properties'][string];
type Value = ScriptArguments[string];

const IS: Readonly<Record<Parameter['type'], (value: Value) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
};

function issueOf(name: string, { type, enum: choices, minimum, maximum }: Parameter, value: Value): string | null {
  if (!IS[type](value)) return `${name}: write a value of type ${type}`;
  if (typeof value === 'string' && choices !== undefined && !choices.includes(value))
    return `${name}: write one of ${choices.join(', ')}`;
  if (typeof value !== 'number') return null;
  if (minimum !== undefined && value < minimum) return `${name}: write at least ${minimum}`;
  return maximum !== undefined && value > maximum ? `${name}: write at most ${maximum}` : null;
}

/** The errors of a script's arguments, each with the fix; empty if they are valid. Pure. */
export function issuesOfArguments(
  { properties, required }: Pick<ScriptParameters, 'properties' | 'required'>,
  given: ScriptArguments,
): readonly string[] {
  const missing = required
    .filter((name) => !Object.hasOwn(given, name))
    .map((name) => `${name}: write a value, because it is required`);
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    const parameter = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return (
      (parameter === undefined ? `${name}: the script has no such parameter` : issueOf(name, parameter, value)) ?? []
    );
  });
  return [...missing, ...wrong];
}

/** The environment variables with a script's arguments. Their prefix ARG_ keeps them apart from variables that programs use. Pure. */
export function variablesOf(given: ScriptArguments): Readonly<Record<string, string>> {
  const each = Object.entries(given).map(([name, value]) => [`ARG_${name.toUpperCase()}`, String(value)] as const);
  return { SCRIPT_ARGUMENTS: JSON.stringify(given), ...Object.fromEntries(each) };
}
