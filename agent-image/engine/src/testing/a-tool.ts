import assert from 'node:assert/strict';
import { join } from 'node:path';
import { testFolder } from '@hamlet/test/env/at-end';
import { z } from 'zod';
import { defineTool, type CallContext, type Postponed, type Tool } from '../effects/tool.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { Effect } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import type { RunOutcome } from '../loop/advance.ts';
import type { Begun } from '../loop/engine.ts';

/** Journals in a separate folder. */
export function someJournals(): Readonly<{ path: () => string; open: () => Journal }> {
  const folder = testFolder('engine');
  let files = 0;
  const path = (): string => join(folder, `${(files += 1)}.db`);
  return { path, open: () => openSqliteJournal(path()) };
}

export const Text = z.strictObject({ text: z.string() });
type Execute = (input: { text: string }, context: CallContext) => Promise<ToolOutcome | Postponed>;
type Kind = Readonly<{ name: string; effect: Exclude<Effect, 'verify'>; timeoutMs?: number }>;

export const aTool = ({ name, effect, timeoutMs = 5_000 }: Kind, execute: Execute): Tool =>
  defineTool({ name, description: name, input: Text, effect, timeoutMs, execute });

export const echo = (name: string, effect: Exclude<Effect, 'verify'>): Tool =>
  aTool({ name, effect }, async ({ text }) => ({ kind: 'ok', text: `${name}: ${text}` }));

export const outcomeOf = (begun: Begun): Promise<RunOutcome> => (begun.ok ? begun.outcome : assert.fail(begun.code));

export const typesOf = (journal: Journal, run: string): readonly string[] => {
  const found = journal.eventsOf(run);
  return found.ok ? found.events.map(({ type }) => type) : assert.fail(found.message);
};
