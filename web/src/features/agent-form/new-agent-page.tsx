import { createAgent, getAgentSpec } from '@hamlet/contract';
import { useMemo, useState } from 'react';
import { useFormDraft } from '../../client/drafts.ts';
import { useLive } from '../../client/query/use-live.ts';
import { Button, Notice, Unread } from '../../ui/controls.tsx';
import { Page } from '../navigation/page.tsx';
import { viewerZone } from '../schedules/next-times-list.tsx';
import { useAgentNames, useVillage, useVillageState } from '../village-context.ts';
import { AgentForm, specFormOf } from './agent-form.tsx';
import { WorkFields } from './fields/work-fields.tsx';
import { NameFields } from './name-fields.tsx';
import { copyName } from './spec/agent-name.ts';
import { resourceYaml } from './spec/agent-yaml.ts';
import { cloneSpec } from './spec/clone-spec.ts';
import { begunWith, BLANK_AGENT, firstWork, type NewDraft, readNew } from './spec/new-agent.ts';
import { problemsOf } from './spec/spec-problems.ts';
import { Starts } from './starts.tsx';
import { useCreating } from './use-creating.ts';
import { useDryRun } from './use-dry-run.ts';

export function NewAgentPage() {
  const from = useVillageState((state) => state.place.who);
  const [round, setRound] = useState(0);
  const [made, setMade] = useState<string | null>(null);
  const again = (): void => {
    setMade(null);
    setRound(round + 1);
  };
  return (
    <Page
      title={from === null ? 'New agent' : `Copy of ${from}`}
      intro="Fill in what you know: everything but the name has a default. The agent starts within seconds."
      needs="agent:manage"
    >
      {made !== null && <Made name={made} onAgain={again} />}
      {made === null && from === null && (
        <NewAgent key={round} draftName="new-agent" first={BLANK_AGENT} onMade={setMade} />
      )}
      {made === null && from !== null && <Clone key={`${from} ${round}`} from={from} onMade={setMade} />}
    </Page>
  );
}

type MadeProps = Readonly<{ name: string; onAgain: () => void }>;

/** The agent exists in the cluster; the list of agents has it a moment later. */
function Made({ name, onAgain }: MadeProps) {
  const { open, select } = useVillage();
  const title = useVillageState((state) => state.details.get(name)?.display_name);
  return (
    <Notice tone="good" data-made={name}>
      <b>{title ?? name} exists.</b> Its pod starts now.
      <span className="button-row">
        <Button
          word={`Show ${title ?? name}`}
          disabled={title === undefined}
          data-action="show-agent"
          onClick={() => {
            open({ view: 'map', who: null });
            select(name);
          }}
        />
        <Button word="Make another one" onClick={onAgain} data-action="make-another" />
      </span>
    </Notice>
  );
}

type OnMade = Readonly<{ onMade: (name: string) => void }>;
const SOURCE_MS = 600_000;

/** A copy begins with the spec of its original as the cluster has it. */
function Clone({ from, onMade }: OnMade & Readonly<{ from: string }>) {
  const { data, refused } = useLive(getAgentSpec, { params: { agent_id: from } }, SOURCE_MS);
  const taken = useTaken(null);
  const first = useMemo(
    () => data && { ...BLANK_AGENT, name: copyName(from, taken), spec: cloneSpec(data.spec, from) },
    [data, from, taken],
  );
  if (first === null) return <Unread refused={refused} word={`Reading ${from}…`} />;
  return <NewAgent draftName={`copy-of-${from}`} first={first} onMade={onMade} />;
}

/** The names of the village's agents without `made`, which this form made. */
function useTaken(made: string | null): ReadonlySet<string> {
  const names = useAgentNames();
  return useMemo(() => new Set(names.map(({ id }) => id).filter((id) => id !== made)), [names, made]);
}

type NewProps = OnMade & Readonly<{ draftName: string; first: NewDraft }>;

function NewAgent({ draftName, first, onMade }: NewProps) {
  const creating = useCreating();
  const { draft, write, of, forget } = useFormDraft(draftName, first, creating.changed);
  const [tried, setTried] = useState(false);
  const taken = useTaken(creating.made);
  const read = readNew(draft, taken);
  const check = useDryRun(createAgent, read.agent === null ? null : { body: { ...read.agent, dry_run: true } });
  const problems = problemsOf(read.problems, check.refused);
  const send = async (): Promise<void> => {
    setTried(true);
    if (read.agent === null || (draft.work !== null && read.work === null)) return;
    if (!(await creating.create(read.agent, read.work))) return;
    forget();
    onMade(read.name);
  };
  return (
    <AgentForm
      form={specFormOf({ spec: draft.spec, onSpec: of('spec').onChange, problems, tried, fields: [] })}
      problems={problems}
      check={check}
      sending={creating.sending}
      agentId={null}
      yaml={resourceYaml(read.resources)}
      word={read.title === '' ? 'Create the agent' : `Create ${read.title}`}
      head={
        <>
          {first === BLANK_AGENT && (
            <Starts chosen={draft.start?.id ?? 'blank'} onChoose={(character) => write(begunWith(draft, character))} />
          )}
          <NameFields
            value={read.name}
            onChange={of('name').onChange}
            problem={tried || read.name !== '' ? read.nameProblem : undefined}
          />
        </>
      }
      end={
        <WorkFields
          work={draft.work}
          first={firstWork(draft, viewerZone())}
          problems={tried ? read.workProblems : {}}
          onWork={of('work').onChange}
        />
      }
      onSend={() => void send()}
    />
  );
}
