import type { ScriptDetail } from '@hamlet/contract';
import type { ToolKit } from '../tools/tool-kit.ts';
import { retry } from '../village/retry.ts';

export interface NamedScript {
  readonly name: string;
  readonly version: string;
}

export type ReadScript = (
  named: NamedScript,
  signal: AbortSignal,
) => Promise<
  | { readonly kind: 'ok'; readonly value: ScriptDetail }
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string }
>;

export const readScriptWith =
  (kit: Pick<ToolKit, 'work' | 'rest' | 'random'>): ReadScript =>
  ({ name, version }, signal) =>
    retry(() => kit.work.script(name, version), signal, kit);
