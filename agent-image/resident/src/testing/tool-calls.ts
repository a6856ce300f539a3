import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ToolOutcome } from '@hamlet/engine';
import { CAP_MS } from '@hamlet/test/env/until';
import type { HandsKit } from '../hands/hands-tool.ts';
import { useTool, type CallPlace } from './a-hands-kit.ts';

/** Calls of tools: the outcome, the text of a call that must succeed, and the code of a call that should fail. */
export function toolCalls(kit: () => HandsKit) {
  type Call = [name: string, input: object, place?: CallPlace];
  const use = async (...call: Call): Promise<ToolOutcome> => {
    const outcome = await useTool(kit())(...call);
    assert.ok(outcome.kind !== 'needs_permission' && outcome.kind !== 'parked');
    return outcome;
  };
  const textOf = async (...call: Call): Promise<string> => {
    const outcome = await use(...call);
    assert.ok(outcome.kind === 'ok', JSON.stringify(outcome).slice(0, 2_000));
    return outcome.text;
  };
  const codeOf = async (...call: Call): Promise<string> => {
    const outcome = await use(...call);
    return outcome.kind === 'failed' ? outcome.code : JSON.stringify(outcome);
  };
  return { use, textOf, codeOf };
}

export async function soon(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + CAP_MS; !(await holds()); await delay(5))
    assert.ok(Date.now() < endMs, 'the condition is not true within two minutes');
}

/** False for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The process ids that programs have written to a file, one per line. */
export const pidsIn = (file: string): readonly number[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number) : [];
