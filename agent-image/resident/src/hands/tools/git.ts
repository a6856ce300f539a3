import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gitCommand, refuseGit, riskOfGit } from '@hamlet/core/git';
import { GIT_SECONDS_MAX, type GitInput } from '@hamlet/contract/resident';
import { pathIn } from '../files/hands-files.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { beginProcess, endedProcess, unlessAbsent } from '../job-process.ts';
import { failed } from '../../tools/tool-kit.ts';
import { endOfProcess } from './ended-process.ts';

const GIT_SCRIPT = readFileSync(join(import.meta.dirname, 'git.sh'), 'utf8');

/** The tool `git`. A call that may lose work makes a checkpoint branch first, in the same process. */
export const git = (kit: HandsKit) =>
  handsTool(kit, 'git', {
    timeoutMs: GIT_SECONDS_MAX * 1_000,
    mayWait: true,
    namesRefusals: true,
    perform: async (input, job) => {
      const refusal = refuseGit(input, kit.agentId);
      if (refusal !== null) return { outcome: failed(refusal.code, refusal.text), report: {} };
      const { action, args, message = '' } = input;
      const own = `hamlet/${kit.agentId}/`;
      const argv = ['bash', '-c', GIT_SCRIPT, 'hamlet-git', riskOfGit(input), action, own, message, ...args];
      await beginProcess(job, { argv, cwd: cwdOf(input, job), timeoutMs: GIT_SECONDS_MAX * 1_000 + job.waitsMs });
      return ended(input, job);
    },
    recover: async (input, job) => (refuseGit(input, kit.agentId) === null ? unlessAbsent(ended(input, job)) : null),
    asksAfterRestart: ({ action }) => action === 'push',
  });

/** A new repository is a neighbour of that of the run. */
function cwdOf({ action, folder }: GitInput, { kit, tree }: HandsJob): string {
  if (folder !== undefined) return posix.join(kit.workspace, pathIn(kit.workspace, folder));
  return action === 'init' || action === 'clone' ? kit.workspace : tree;
}

/** A nonzero exit code of git means that it did not do the requested operation. */
async function ended(input: GitInput, job: HandsJob): Promise<HandsEnd> {
  const record = await endedProcess(job);
  const ran = { command: gitCommand(input), cwd: cwdOf(input, job), seconds: GIT_SECONDS_MAX };
  const { outcome, report } = endOfProcess(record, ran);
  if (outcome.kind !== 'ok' || report.exit === 0) return { outcome, report };
  if (input.action === 'push') return endOfPush(job, { text: outcome.text, report });
  return { outcome: failed('git_failed', outcome.text), report };
}

/** A push that a rule of the village, a person or the server refused names the reason. */
function endOfPush({ kit, context }: HandsJob, { text, report }: Failed): HandsEnd {
  const refused = kit.refusals.take(context);
  const reasons = [...refused, ...[...text.matchAll(REJECTED)].flatMap(([, reason]) => reason ?? [])];
  if (reasons.length === 0) return { outcome: failed('git_failed', text), report };
  const why = [...new Set(reasons)].join('; ');
  const shown = `The push was refused, and nothing was pushed: ${why}\n${text}`;
  return { outcome: failed('push_refused', shown), report: { ...report, refused: [...refused] } };
}

interface Failed {
  readonly text: string;
  readonly report: HandsEnd['report'];
}

/** How git prints the reason for which a server, or the broker in its place, refuses a reference. */
const REJECTED = /^ ! \[remote rejected\].*?\(([^\n]+)\)$/gm;
