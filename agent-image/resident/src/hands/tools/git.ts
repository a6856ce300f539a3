import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gitCommand, refuseGit, riskOfGit } from '@hamlet/core/git';
import { GIT_SECONDS_MAX, HANDS_TOOLS, type GitInput } from '@hamlet/contract/resident';
import type { Tool } from '@hamlet/engine';
import { pathIn } from '../files/hands-files.ts';
import type { HandsEnd, HandsJob, HandsKit } from '../hands-tool.ts';
import { processTool, type PlannedProcess, type ProcessRefusal } from './process-tool.ts';

const GIT_SCRIPT = readFileSync(join(import.meta.dirname, 'git.sh'), 'utf8');

/** The tool `git`. A call that may lose work makes a checkpoint branch first, in the same process. */
export const git = (kit: HandsKit): Tool =>
  processTool(kit, { name: 'git', ...HANDS_TOOLS.git }, { seconds: GIT_SECONDS_MAX, plan, explain });

async function plan(input: GitInput, { kit, tree }: HandsJob): Promise<PlannedProcess | ProcessRefusal> {
  const refusal = refuseGit(input, kit.agentId);
  if (refusal !== null) return refusal;
  const { action, args, message = '', folder } = input;
  const cwd = folder === undefined ? tree : posix.join(kit.workspace, pathIn(kit.workspace, folder));
  const own = `hamlet/${kit.agentId}/`;
  const argv = ['bash', '-c', GIT_SCRIPT, 'hamlet-git', riskOfGit(input), action, own, message, ...args];
  return { argv, cwd, command: gitCommand(input) };
}

/** git says by its exit code that it did not do what it was asked. */
function explain(end: HandsEnd): HandsEnd {
  const { outcome, report } = end;
  if (outcome.kind !== 'ok' || report.exit === 0) return end;
  return { ...end, outcome: { kind: 'failed', code: 'git_failed', text: outcome.text } };
}
