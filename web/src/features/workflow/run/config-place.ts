import { MANIFEST_FILES, type Run } from '@hamlet/contract';

/** A place in a manifest that its engine refused, counted from 1. */
export type ConfigPlace = Readonly<{ file: string; line: number; column: number; message: string }>;

/** The first error of the manifests of a failed run: its message begins with `FILE:LINE:COLUMN:`. Null for another failure. Pure. */
export function configPlace(error: Run['error']): ConfigPlace | null {
  if (error?.code !== 'config_error') return null;
  const [, file = '', line, column, message = ''] =
    /^([a-z]+\.yaml):(\d{1,9}):(\d{1,9}): (.*)$/s.exec(error.message) ?? [];
  if (!MANIFEST_FILES.some((name) => name === file)) return null;
  return { file, line: Number(line), column: Number(column), message };
}
