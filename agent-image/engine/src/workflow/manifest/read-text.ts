import { readYaml, type ReadYaml, type YamlText } from './read-yaml.ts';
import { isTooLong, MAX_DEPTH, MAX_KEYS } from './yaml-tokens.ts';

const INDENTS = [undefined, 2];

/**
 * Reads a manifest as `readYaml` does. JSON is YAML too, and what a program has printed as JSON is read by `JSON.parse`, which takes a
 * fraction of the time; its places are looked up only for errors. Pure.
 */
export function readText(text: string): ReadYaml {
  const printed = printedValue(text);
  if (printed === null) return readYaml(text);
  let read: ReadYaml | null = null;
  const placeOf: YamlText['placeOf'] = (path, at) => {
    read ??= readYaml(text);
    return read.ok ? read.placeOf(path, at) : { line: 1, column: 1 };
  };
  return { ok: true, value: printed.value, placeOf };
}

/** The value of a text that is just what `JSON.stringify` prints for it, so that no key stands twice and no number loses digits. */
function printedValue(text: string): Readonly<{ value: unknown }> | null {
  const trimmed = text.trimEnd();
  if (!trimmed.startsWith('{') || isTooLong(text)) return null;
  try {
    const value: unknown = JSON.parse(trimmed);
    const isPrinted =
      isWithinBounds(value) && INDENTS.some((indent) => JSON.stringify(value, null, indent) === trimmed);
    return isPrinted ? { value } : null;
  } catch {
    return null;
  }
}

/** False for what `readYaml` would refuse. */
function isWithinBounds(value: unknown, depth = 1): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH || Object.hasOwn(value, '__proto__')) return false;
  const parts: readonly unknown[] = Object.values(value);
  if (!Array.isArray(value) && parts.length > MAX_KEYS) return false;
  return parts.every((part) => isWithinBounds(part, depth + 1));
}
