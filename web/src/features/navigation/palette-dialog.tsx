import { listRuns, roleMay } from '@hamlet/contract';
import { type KeyboardEvent, useMemo, useState } from 'react';
import './palette.css';
import { useLive } from '../../client/query/use-live.ts';
import { Dialog, Icon } from '../../ui/controls.tsx';
import { useAgentNames, useRole, useVillage } from '../village-context.ts';
import { PAGE_LABELS } from './page-groups.ts';
import { actChoices, agentChoices, type Choice, pageChoices, rankChoices, runChoices } from './rank-choices.ts';

const RUNS_READ = 50;
const RUNS_MS = 60_000;
const TYPED_MAX_CHARS = 100;

function useChoices(): readonly Choice[] {
  const role = useRole();
  const agents = useAgentNames();
  const query = roleMay(role, PAGE_LABELS.runs.needs) ? { query: { limit: RUNS_READ } } : null;
  const runs = useLive(listRuns, query, RUNS_MS).data?.runs;
  return useMemo(() => {
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    const ofRuns = runChoices(runs ?? [], (id) => names.get(id) ?? id);
    return [...agentChoices(agents), ...pageChoices(role), ...actChoices(agents, role), ...ofRuns];
  }, [agents, role, runs]);
}

/** The list of everything that opens by name, with a field to search it. */
export function PaletteDialog({ onClose }: { readonly onClose: () => void }) {
  const { select, open } = useVillage();
  const [typed, setTyped] = useState('');
  const [wanted, setAt] = useState(0);
  const found = rankChoices(useChoices(), typed);
  // The list may have become shorter since.
  const at = Math.max(0, Math.min(wanted, found.length - 1));
  const go = ({ agent, place }: Choice): void => {
    onClose();
    if (agent !== undefined) select(agent);
    open(place);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + found.length) % Math.max(1, found.length));
    const chosen = found[at];
    if (event.key === 'Enter' && chosen !== undefined) go(chosen);
    if (step !== undefined || event.key === 'Enter') event.preventDefault();
  };
  return (
    <Dialog title="Go to" className="palette" onClose={onClose}>
      <label className="filter">
        <Icon name="search" size={16} />
        <input
          type="search"
          role="combobox"
          aria-label="Agent, page, run, conversation or act"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.length === 0 ? undefined : `palette-${at}`}
          placeholder="Agent, page, run, conversation or act"
          maxLength={TYPED_MAX_CHARS}
          value={typed}
          autoFocus
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
      </label>
      <ul id="palette-list" role="listbox" aria-label="Found">
        {found.map((choice, index) => (
          <li
            key={choice.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            data-choice={choice.key}
            onClick={() => go(choice)}
          >
            <span>{choice.word}</span>
            <small>{choice.kind}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="hint">Nothing has this name. Try an agent, a page, or a word such as reward, invite or price.</p>
      )}
    </Dialog>
  );
}
