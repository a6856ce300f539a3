import { type AgentSpecView, getAgentSpec } from '@hamlet/contract';
import { useEffect, useState } from 'react';
import { type Live, useLive } from '../../client/query/use-live.ts';
import { Button, Notice, Unread } from '../../ui/controls.tsx';
import { AgentField } from '../agent-field.tsx';
import { Page } from '../navigation/page.tsx';
import { useAgentName, useVillage, useVillageState } from '../village-context.ts';
import { AgentForm, specFormOf } from './agent-form.tsx';
import { FormPart, SpecText } from './fields/spec-form.tsx';
import { ScheduleLinks } from './schedule-links.tsx';
import { rebased } from './spec/agent-change.ts';
import { resourceYaml } from './spec/agent-yaml.ts';
import { ownersOf } from './spec/field-locks.ts';
import { useChange } from './use-change.ts';

const REFRESH_MS = 10_000;

export function EditAgentPage() {
  const { open, select } = useVillage();
  const who = useVillageState((state) => state.place.who);
  const selected = useVillageState((state) => state.selected);
  // The agent of the open panel is the one to edit, and its panel would cover the form.
  useEffect(() => {
    if (who !== null || selected === null) return;
    open({ who: selected });
    select(null);
  }, [who, selected, open, select]);
  const name = useAgentName(who ?? '');
  return (
    <Page
      title={who === null ? 'Edit an agent' : `Edit ${name}`}
      intro="Changes of tools, servers and skills apply after a reboot; all others at once."
      needs="agent:manage"
      tools={
        <div className="agent-choice">
          <AgentField value={who ?? ''} onChange={(id) => open({ who: id === '' ? null : id })} />
        </div>
      }
    >
      {who === null ? <p className="card empty">Choose an agent.</p> : <Opened key={who} id={who} />}
    </Page>
  );
}

function Opened({ id }: { readonly id: string }) {
  const live = useLive(getAgentSpec, { params: { agent_id: id } }, REFRESH_MS);
  if (live.data === null) return <Unread refused={live.refused} word={`Reading ${id}…`} />;
  return <EditAgent live={live} stored={live.data} />;
}

type EditProps = Readonly<{ live: Live<AgentSpecView>; stored: AgentSpecView }>;

function EditAgent({ live, stored }: EditProps) {
  const [tried, setTried] = useState(false);
  const [taken, setTaken] = useState(false);
  const change = useChange({ live, stored, conflict: taken ? 'take_over' : 'refuse' });
  const { draft, read, problems, sending } = change;
  const fields = taken ? [] : stored.fields;
  const send = (conflict?: 'take_over'): void => {
    setTried(true);
    void change.send(conflict);
  };
  return (
    <AgentForm
      form={specFormOf({ spec: draft.spec, onSpec: change.of('spec').onChange, problems, tried, fields })}
      problems={problems}
      check={change.check}
      sending={sending}
      agentId={stored.agent_id}
      yaml={resourceYaml([{ kind: 'Agent', name: stored.agent_id, spec: read.spec }])}
      word={read.isChanged ? 'Save the changes' : 'Nothing to save'}
      head={
        <>
          <Owners owners={ownersOf(fields)} onTakeOver={() => setTaken(true)} />
          {read.isChanged && draft.version !== stored.resource_version && (
            <Moved onRebase={() => change.write(rebased(draft, stored))} />
          )}
          {sending.done && <Notice tone="good">Saved. The operator applies it within seconds.</Notice>}
          <FormPart title="Name">
            <SpecText path={['displayName']} label="Name" maxLength={64} placeholder={stored.agent_id} />
          </FormPart>
        </>
      }
      end={<ScheduleLinks goesWith={stored.goes_with} />}
      isIdle={!read.isChanged}
      onSend={() => send()}
      onTakeOver={() => send('take_over')}
    />
  );
}

type OwnersProps = Readonly<{ owners: readonly string[]; onTakeOver: () => void }>;

/** Fields that another manager owns are locked, because its next write would conflict with a change here. */
function Owners({ owners, onTakeOver }: OwnersProps) {
  if (owners.length === 0) return null;
  return (
    <Notice tone="info" data-owners={owners.join(' ')}>
      <b>{owners.join(', ')}</b> set some fields. They are locked: change them there, or take them over.
      <span className="button-row">
        <Button word="Take them over" onClick={onTakeOver} data-action="unlock" />
      </span>
    </Notice>
  );
}

function Moved({ onRebase }: { readonly onRebase: () => void }) {
  return (
    <Notice tone="waiting" icon="alert" data-moved>
      <b>The agent has changed since you began.</b> Your changes are kept.
      <span className="button-row">
        <Button word="Read it again and keep my changes" onClick={onRebase} data-action="rebase" />
      </span>
    </Notice>
  );
}
