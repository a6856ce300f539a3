import type { VillageRules } from '@hamlet/contract';
import { commandsInExamples, wrongExamples } from '@hamlet/core';
import type { ReadCommand } from '../shell/read-command.ts';

export async function checkCommandExamples(rules: VillageRules, readCommand: ReadCommand): Promise<void> {
  const commands = commandsInExamples(rules);
  if (commands.length === 0) return;
  const read = new Map<string, readonly string[]>();
  for (const command of commands) read.set(command, (await readCommand(command)).classes);
  const wrong = wrongExamples(rules, (command) => read.get(command) ?? []);
  if (wrong.length > 0) throw new Error(`HAMLET_TOOL_RULES: ${wrong.join('; ')}`);
}
