/** The value of a line; undefined for dates, tables and values of several lines. */
function valueOf(text: string): unknown {
  for (const candidate of [text, text.replace(/\s+#.*$/, '')])
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // With a comment at its end, the line is no JSON.
    }
  return undefined;
}

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
