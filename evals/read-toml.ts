import { readJson } from '@hamlet/core';

/** The value of a line, which a comment may follow; undefined for dates, tables and values of several lines. */
const valueOf = (text: string): unknown => readJson(text) ?? readJson(text.replace(/\s+#.*$/, ''));

/** Reads sections of `key = value` lines from TOML, as far as such a value is also JSON. Pure. */
export function readToml(text: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const sections: Record<string, Record<string, unknown>> = {};
  let section: Record<string, unknown> = {};
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[\s*([\w.-]+)\s*\]/.exec(line)?.[1];
    if (name !== undefined) section = sections[name] ??= {};
    const [, key = '', value = ''] = /^\s*([\w-]+)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (key !== '') section[key] = valueOf(value);
  }
  return sections;
}
