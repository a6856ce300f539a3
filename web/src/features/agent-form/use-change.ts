import { type AgentSpecView, type CallInput, updateAgent } from '@hamlet/contract';
import { type FormDraft, useFormDraft } from '../../client/drafts.ts';
import { type Intent, type Live, useIntent } from '../../client/query/use-live.ts';
import { type ChangeDraft, draftOfStored, readChange } from './spec/agent-change.ts';
import { problemsOf, type SpecProblems } from './spec/spec-problems.ts';
import { type DryRun, useDryRun } from './use-dry-run.ts';

type Conflict = 'refuse' | 'take_over';
type ChangeOptions = Readonly<{ live: Live<AgentSpecView>; stored: AgentSpecView; conflict: Conflict }>;

/** The change of an agent while a person writes it. */
interface Change extends Pick<FormDraft<ChangeDraft>, 'draft' | 'write' | 'of'> {
  readonly read: ReturnType<typeof readChange>;
  readonly check: DryRun;
  readonly problems: SpecProblems;
  readonly sending: Intent;
  /** Sends the change, if there is one without problems. `conflict` replaces the one of the form. */
  send(conflict?: Conflict): Promise<void>;
}

/** The draft survives another page and a reload; it begins with the stored spec. */
export function useChange({ live, stored, conflict }: ChangeOptions): Change {
  const id = stored.agent_id;
  const sending = useIntent();
  const form = useFormDraft(`edit-${id}`, draftOfStored(stored), sending.changed);
  const read = readChange(form.draft);
  const isReady = read.isChanged && read.problems.size === 0;
  const inputOf = (chosen: Conflict, dry: boolean): CallInput<typeof updateAgent> => ({
    params: { agent_id: id },
    query: { on_conflict: chosen },
    body: { spec: read.patch, resource_version: form.draft.version, dry_run: dry },
  });
  const check = useDryRun(updateAgent, isReady ? inputOf(conflict, true) : null);
  return {
    ...form,
    read,
    check,
    problems: problemsOf(read.problems, check.refused),
    sending,
    send: async (chosen = conflict) => {
      if (!isReady) return;
      // After a refusal, taking over is another intent.
      if ((await sending.call(updateAgent, inputOf(chosen, false), chosen)) === null) return;
      form.forget();
      live.again();
    },
  };
}
