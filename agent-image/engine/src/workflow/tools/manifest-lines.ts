import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readYaml, type YamlText } from '../manifest/read-yaml.ts';
import { isSystemError } from './built-ins/tool-fault.ts';
import type { ToolRules } from './check-tool-call.ts';

/** The manifests with permissions. */
const FILES = ['agents.yaml', 'tools.yaml'] as const;

/**
 * Finds the lines of permissions in the manifests of a folder, at this time. A value that is not there has the line of
 * the nearest one around it; a file that is not there has none.
 */
export async function manifestLines(dir: string): Promise<ToolRules['lineOf']> {
  const texts = new Map<string, string>();
  for (const file of FILES) {
    const text = await textOf(join(dir, file));
    if (text !== null) texts.set(file, text);
  }
  return linesIn(texts);
}

/** Finds the lines of permissions in the texts of manifests, by the names of their files. */
export function linesIn(texts: ReadonlyMap<string, string>): ToolRules['lineOf'] {
  const places = new Map<string, YamlText['placeOf']>();
  for (const file of FILES) {
    const read = readYaml(texts.get(file) ?? '');
    if (read.ok && texts.has(file)) places.set(file, read.placeOf);
  }
  return (file, path) => places.get(file)?.(path).line ?? null;
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
