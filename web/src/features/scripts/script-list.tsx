import { type AgentDetail, deleteScript, getScript, listScripts, roleMay, type Script } from '@hamlet/contract';
import { useState } from 'react';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { Badge, Button, LinkButton, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useRole, useVillage } from '../village-context.ts';
import { lastRunLabel, parameterLabels } from './script-labels.ts';
import './scripts.css';
import { visibleText } from '@hamlet/core/visible-text';

const REFRESH_MS = 5_000;
const VERSION_SHOWN = 8;

export function ScriptList({ agent }: { readonly agent: AgentDetail }) {
  const role = useRole();
  const params = { agent_id: agent.agent_id };
  const { data, again } = useLive(listScripts, roleMay(role, 'scripts:read') ? { params } : null, REFRESH_MS);
  if (data === null || data.scripts.length === 0) return null;
  return (
    <section className="section" aria-label="Scripts">
      <h3 className="section-name">Scripts</h3>
      <ul className="scripts">
        {data.scripts.map((script) => (
          <ScriptLine key={script.name} script={script} onDeleted={again} />
        ))}
      </ul>
    </section>
  );
}

function ScriptLine({ script, onDeleted }: Readonly<{ script: Script; onDeleted: () => void }>) {
  const [isOpen, setOpen] = useState(false);
  const role = useRole();
  const { name, language, version, description, tainted, adopted_from: from } = script;
  return (
    <li className="script" data-script={name}>
      <span className="script-head">
        <b>{name}</b>
        <span className="hint">{language}</span>
        <code className="script-version" title={`Version ${version}`}>
          {version.slice(0, VERSION_SHOWN)}
        </code>
        {from !== null && <Badge tone="waiting">From {from}</Badge>}
        {from === null && tainted && <Badge tone="waiting">Text from outside</Badge>}
      </span>
      {description !== null && <p className="script-text">{visibleText(description)}</p>}
      <LastRun script={script} />
      {description !== null && (
        <span className="script-acts">
          <Button
            look="plain"
            word={isOpen ? 'Hide the source' : 'Show the source'}
            onClick={() => setOpen(!isOpen)}
            data-action="source"
          />
          {roleMay(role, 'agent:lifecycle') && <DeleteButton script={script} onDeleted={onDeleted} />}
        </span>
      )}
      {isOpen && <Source script={script} />}
    </li>
  );
}

function LastRun({ script }: { readonly script: Script }) {
  const { open } = useVillage();
  const now = useNow(10_000);
  const { last_run: last, runs } = script;
  if (last === null) return <p className="hint">Not run yet</p>;
  return (
    <p className="hint">
      Run {runs === 1 ? 'once' : `${runs.toLocaleString('en')} times`},{' '}
      <LinkButton word={timeAgo(last.at, now)} onClick={() => open({ view: 'runs', run: last.run_id })} />:{' '}
      {lastRunLabel(last)}
    </p>
  );
}

function Source({ script }: { readonly script: Script }) {
  const { name, agent_id, version } = script;
  const params = { agent_id, name };
  const { data } = useLive(getScript, { params, query: { version } }, REFRESH_MS);
  if (data === null)
    return (
      <p className="hint" role="status">
        Loading…
      </p>
    );
  const labels = parameterLabels(data.parameters);
  return (
    <>
      {labels.length > 0 && <p className="hint">Parameters: {labels.join(', ')}</p>}
      <pre className="call-result script-source" tabIndex={0} aria-label={`Source of ${name}`}>
        {visibleText(data.source)}
      </pre>
      {data.versions.length > 1 && (
        <p className="hint">
          {data.versions.length - 1} earlier versions are kept; the agent runs a version by its number.
        </p>
      )}
    </>
  );
}

function DeleteButton({ script, onDeleted }: Readonly<{ script: Script; onDeleted: () => void }>) {
  const [isAsked, setAsked] = useState(false);
  const intent = useIntent();
  const { name, agent_id } = script;
  const remove = async (): Promise<void> => {
    const data = await intent.call(deleteScript, { params: { agent_id, name } });
    if (data !== null) onDeleted();
  };
  if (!isAsked)
    return (
      <Button
        look="plain"
        word="Delete…"
        icon="trash"
        iconPx={14}
        onClick={() => setAsked(true)}
        data-action="delete"
      />
    );
  return (
    <span role="group" aria-label={`Delete ${name}`} className="script-delete">
      <span className="hint">The agent loses all versions.</span>
      <Button look="danger" word="Delete it" onClick={() => void remove()} data-action="confirm-delete" />
      <Button look="plain" word="Keep it" onClick={() => setAsked(false)} />
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </span>
  );
}
