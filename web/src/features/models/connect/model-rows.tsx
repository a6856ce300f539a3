import type { ReactElement } from 'react';
import type { Field } from '../../../client/drafts.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { FieldProblem } from '../../../ui/fields.tsx';
import type { ModelRow } from './connect-draft.ts';

const ROWS_MAX = 50;

type RowsProps = Field<readonly ModelRow[]> & Readonly<{ example: string; problem: string | undefined }>;

/** The models of a provider: for each name that tiers use, the provider's name of the model. */
export function ModelRows({ value: rows, onChange, example, problem }: RowsProps): ReactElement {
  const write = (at: number, change: Partial<ModelRow>): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  return (
    <fieldset className="model-fields">
      <legend>Models</legend>
      <p className="hint">
        Agents ask for a model by its name in the village. Leave out the models that you do not want.
      </p>
      {rows.map((row, index) => (
        <div key={index} className="model-field-row">
          <input
            name="village-name"
            aria-label={`Name in the village, row ${index + 1}`}
            value={row.name}
            maxLength={128}
            spellCheck={false}
            onChange={(event) => write(index, { name: event.target.value })}
          />
          <span aria-hidden="true">=</span>
          <input
            name="provider-name"
            className="mono"
            aria-label={`The provider's name of ${row.name || `row ${index + 1}`}`}
            placeholder={example}
            value={row.model}
            maxLength={200}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => write(index, { model: event.target.value })}
          />
        </div>
      ))}
      <FieldProblem text={problem} />
      {rows.length < ROWS_MAX && (
        <LinkButton word="Another name" onClick={() => onChange([...rows, { name: '', model: '' }])} />
      )}
    </fieldset>
  );
}
