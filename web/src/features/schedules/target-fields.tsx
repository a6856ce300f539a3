import type { ReactElement } from 'react';
import { useVillageState } from '../village-context.ts';
import type { Draft, Problems } from './schedule-draft.ts';

/** A part of the form: the draft, what is wrong with it, and how to change it. */
export interface FieldProps {
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onDraft: (change: Partial<Draft>) => void;
}

/** Who gets the prompt: one agent, or all that carry some labels. */
export function TargetFields({ draft, problems, onDraft }: FieldProps): ReactElement {
  const details = useVillageState((state) => state.details);
  const names = [...details.values()].toSorted((left, right) => left.display_name.localeCompare(right.display_name));
  return (
    <div className="field">
      <div className="segments" role="radiogroup" aria-label="For">
        <label className="segment">
          <input
            type="radio"
            name="target"
            checked={draft.target === 'agent'}
            onChange={() => onDraft({ target: 'agent' })}
          />
          One agent
        </label>
        <label className="segment">
          <input
            type="radio"
            name="target"
            checked={draft.target === 'labels'}
            onChange={() => onDraft({ target: 'labels' })}
          />
          All with labels
        </label>
      </div>
      {draft.target === 'agent' && (
        <select
          name="agent"
          aria-label="Agent"
          value={draft.agent}
          onChange={(event) => onDraft({ agent: event.target.value })}
          aria-invalid={problems.agent !== undefined}
        >
          <option value="">Choose an agent</option>
          {draft.agent !== '' && !details.has(draft.agent) && (
            <option value={draft.agent}>{draft.agent} (not here)</option>
          )}
          {names.map(({ agent_id: id, display_name: name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {draft.target === 'labels' && (
        <input
          name="labels"
          aria-label="Labels"
          value={draft.labels}
          onChange={(event) => onDraft({ labels: event.target.value })}
          aria-invalid={problems.labels !== undefined}
          placeholder="hamlet.village/team=carriers"
        />
      )}
      {draft.target === 'agent' && problems.agent !== undefined && (
        <span className="field-problem">{problems.agent}</span>
      )}
      {draft.target === 'labels' && problems.labels !== undefined && (
        <span className="field-problem">{problems.labels}</span>
      )}
    </div>
  );
}
