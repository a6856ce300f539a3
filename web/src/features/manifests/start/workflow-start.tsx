import { type AgentDetail, createRun, getAgentManifests, roleMay, type SafeMode } from '@hamlet/contract';
import type { Manifests } from '@hamlet/engine/manifests';
import { useMemo, useState } from 'react';
import { useFormDraft } from '../../../client/drafts.ts';
import { useIntent, useLive } from '../../../client/query/use-live.ts';
import { Notice, RefusedNotice, Unread } from '../../../ui/controls.tsx';
import { Form, Segments, SelectField, SubmitButton, TextField } from '../../../ui/fields.tsx';
import { SafeModeField } from '../../safe-mode/safe-mode-field.tsx';
import { useRole, useVillage } from '../../village-context.ts';
import { checkTexts, knownWords } from '../texts/check-manifests.ts';
import { textsOf } from '../texts/manifest-edits.ts';
import { EMPTY_START, readStart } from './start-draft.ts';
import './start.css';

const REFRESH_MS = 15_000;

/** A form that gives the saved workflow of an agent a task, and opens the new run. */
export function WorkflowStart({ agent }: { readonly agent: AgentDetail }) {
  const may = roleMay(useRole(), 'run:create');
  const live = useLive(getAgentManifests, { params: { agent_id: agent.agent_id } }, REFRESH_MS);
  const { data } = live;
  const manifests = useMemo(() => (data === null ? null : checkTexts(textsOf(data)).manifests), [data]);
  if (!may) return null;
  if (data === null) return <Unread refused={live.refused} />;
  if (data.problem !== null) return <Notice tone="bad">{data.problem}</Notice>;
  if (manifests === null) return <p className="hint">A task can start once the saved manifests have no problems.</p>;
  return <StartForm agent={agent} manifests={manifests} />;
}

const KINDS = [
  { key: 'text', word: 'Text' },
  { key: 'json', word: 'JSON' },
] as const;

function StartForm({ agent, manifests }: Readonly<{ agent: AgentDetail; manifests: Manifests }>) {
  const { open } = useVillage();
  const { busy, refused, call, changed } = useIntent();
  const { draft, of, forget } = useFormDraft(`workflow-start-${agent.agent_id}`, EMPTY_START, changed);
  const [safeMode, setSafeMode] = useState<SafeMode | null>(null);
  const [tried, setTried] = useState(false);
  const reading = readStart(draft, manifests.workflow.id);
  const problems = reading.ok || !tried ? {} : reading.problems;
  const { modes, tags } = knownWords(manifests);
  const send = async (): Promise<void> => {
    setTried(true);
    if (!reading.ok || busy) return;
    const body = { ...reading.body, ...(safeMode !== null && { safe_mode: safeMode }) };
    const data = await call(createRun, { params: { agent_id: agent.agent_id }, body });
    if (data === null) return;
    forget();
    open({ view: 'runs', run: data.run.run_id });
  };
  return (
    <Form className="workflow-start" aria-label="Start the workflow" noValidate onSend={send}>
      <div className="field">
        <Segments label="Input" items={KINDS} {...of('kind')} />
        {draft.kind === 'text' ? (
          <TextField label="Input" name="input-text" rows={4} {...of('text')} problem={problems.text} />
        ) : (
          <TextField
            label="Input as JSON"
            name="input-json"
            className="mono"
            spellCheck={false}
            rows={4}
            {...of('json')}
            problem={problems.json}
          />
        )}
      </div>
      <div className="workflow-choice">
        <SelectField
          label="Pipeline"
          name="pipeline"
          {...of('pipeline')}
          options={[['', 'By mode, tags and score'], ...manifests.pipelines.map(({ id }) => [id, id] as const)]}
        />
        <TextField label="Mode" name="mode" {...of('mode')} suggestions={modes} />
        <TextField
          label="Tags, separated by commas"
          name="tags"
          {...of('tags')}
          suggestions={tags}
          problem={problems.tags}
        />
        <SafeModeField
          agent={agent}
          value={safeMode}
          onChange={(mode) => {
            setSafeMode(mode);
            changed();
          }}
        />
      </div>
      {refused !== null && <RefusedNotice refused={refused} />}
      <SubmitButton word="Start the workflow" busy={busy} />
    </Form>
  );
}
