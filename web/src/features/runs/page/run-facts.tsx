import type { Mind, Run, TaintMark } from '@hamlet/contract';
import { isOfSupply, mindLabel } from '@hamlet/core';
import type { CallItem, TraceItem } from '../../../client/minds/trace-items.ts';
import { Fact, LinkButton } from '../../../ui/controls.tsx';
import { dateTime } from '../../../ui/time-labels.ts';
import type { Source } from '../../citations/opened-pages.ts';
import type { ChangedFile } from '../../hands/changed-files.ts';
import { isChange, shortCall } from '../../permissions/call-labels.ts';
import { toolLabel } from '../../permissions/tool-labels.ts';
import { TaintList } from '../../permissions/taint-list.tsx';
import { RunSources } from '../../results/session-results.tsx';
import { useAgentName, useShowAgent, useVillage } from '../../village-context.ts';
import { SAFE_MODE_LABELS } from '../../safe-mode/safe-mode-labels.ts';
import { RunSkills } from './run-skills.tsx';
import { visibleText } from '@hamlet/core/visible-text';

type FactsProps = Readonly<{
  run: Run;
  items: readonly TraceItem[];
  files: readonly ChangedFile[];
  sources: readonly Source[] | null;
  version: number;
  mind: Mind | null;
}>;

/** The facts about a run besides its result: agent, conversation, mind, mode, sources, skills. */
export function RunFacts({ run, items, files, sources, version, mind }: FactsProps) {
  return (
    <dl className="run-facts">
      <Origin run={run} />
      {mind !== null && <Fact name="Mind">{mindLabel(mind)}</Fact>}
      {run.safe_mode !== undefined && (
        <Fact name="Mode" data-safe-mode={run.safe_mode}>
          {SAFE_MODE_LABELS[run.safe_mode].fact}
        </Fact>
      )}
      {run.taint !== undefined && (
        <Fact name="Read from outside" title={outsideHint(run.taint)}>
          <TaintList agentId={run.agent_id} taint={run.taint} />
        </Fact>
      )}
      <Changes run={run} items={items} files={files} />
      <RunSources sources={sources} text={run.summary ?? ''} />
      <RunSkills run={run} version={version} />
    </dl>
  );
}

const outsideHint = (taint: readonly TaintMark[]): string =>
  isOfSupply(taint.map(({ source }) => source))
    ? 'Text of its repository or a registry has reached this run: it may run programs, but asks a person before it sends or spends'
    : 'Text from outside has reached this run: it asks a person before it sends, spends or runs code';

function Origin({ run }: { readonly run: Run }) {
  const { open, select } = useVillage();
  const showAgent = useShowAgent();
  const name = useAgentName(run.agent_id);
  const { session_id: chat, schedule } = run;
  return (
    <>
      <Fact name="Agent">
        <LinkButton word={name} onClick={() => select(run.agent_id)} />
        {run.attempt > 1 && <>, started {run.attempt} times</>}
      </Fact>
      <Fact name="Given">{dateTime(Date.parse(run.created_at))}</Fact>
      {schedule !== null && (
        <Fact name="Schedule">
          <LinkButton word={schedule.name} onClick={() => open({ view: 'schedules', schedule: schedule.name })} />, for{' '}
          {dateTime(Date.parse(schedule.slot))}
        </Fact>
      )}
      {chat !== null && (
        <Fact name="Chat">
          <LinkButton word="Open the conversation" onClick={() => showAgent(run.agent_id, { tab: 'chat', chat })} />
        </Fact>
      )}
    </>
  );
}

function Changes({ run, items, files }: Pick<FactsProps, 'run' | 'items' | 'files'>) {
  const calls = items.filter((item) => item.kind === 'call');
  const changes = calls.filter(isChange);
  const kept = files.filter(({ undone }) => !undone);
  const unsettled = new Set(run.unsettled);
  const nameOf = (id: string): string => {
    const call = calls.find(({ callId }) => callId === id);
    return call === undefined ? id : callLabel(call);
  };
  return (
    <>
      {kept.length + changes.length > 0 && (
        <Fact name="Changed">
          <ul className="run-changes">
            {kept.map(({ path }) => (
              <li key={path}>{visibleText(path)}</li>
            ))}
            {changes.map((call) => (
              <li key={call.key}>{callLabel(call)}</li>
            ))}
          </ul>
        </Fact>
      )}
      {unsettled.size > 0 && (
        <Fact name="Unsettled" className="run-unsettled">
          These calls may have happened; no result is known:
          <ul className="run-changes">
            {[...unsettled].map((id) => (
              <li key={id}>{nameOf(id)}</li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}

function callLabel({ tool, argumentsText }: CallItem): string {
  const values = shortCall({ tool, argumentsText });
  return values === '' ? toolLabel(tool).word : `${toolLabel(tool).word}: ${values}`;
}
