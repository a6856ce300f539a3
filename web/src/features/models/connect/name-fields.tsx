import { useId } from 'react';
import type { Field } from '../../../client/drafts.ts';
import { CheckField, FieldProblem, SelectField, TextField } from '../../../ui/fields.tsx';
import { useAgentNames } from '../../village-context.ts';
import { LinkButton } from '../../../ui/controls.tsx';
import { type ModelRow, modelsOf, opensThoughts, withModel, withThoughts } from './connect-draft.ts';

interface NameFieldsProps {
  readonly isNew: boolean;
  readonly defaultName: string;
  readonly problems: { readonly name?: string | undefined; readonly context?: string | undefined };
  readonly name: Field<string>;
  readonly context: Field<string>;
}

export function NameFields({ isNew, defaultName, problems, name, context }: NameFieldsProps) {
  return (
    <>
      <TextField
        label="Name of this connection"
        name="name"
        disabled={!isNew}
        spellCheck={false}
        placeholder={defaultName}
        problem={problems.name}
        {...name}
      />
      <TextField
        label="Tokens of prompt and answer"
        name="context"
        inputMode="numeric"
        placeholder="32768"
        problem={problems.context}
        {...context}
      />
    </>
  );
}

export function OwnerField({ isNew, value, onChange }: Field<string> & { readonly isNew: boolean }) {
  const agents = useAgentNames();
  const options = isNew ? agents.map(({ id, name }) => [id, `${name} alone`] as const) : [[value, value] as const];
  return (
    <SelectField
      label="For"
      name="owner"
      value={value}
      options={isNew || value === '' ? [['', 'The whole village'], ...(isNew ? options : [])] : options}
      onChange={onChange}
    />
  );
}

const ROWS_MAX = 50;

type RowsProps = Field<readonly ModelRow[]> &
  Readonly<{ example: string; problem: string | undefined; offered?: readonly string[] }>;

export function ModelRows({ value: rows, onChange, example, problem, offered = [] }: RowsProps) {
  const listId = useId();
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
            onChange={(event) => onChange(rows.with(index, { ...row, name: event.target.value }))}
          />
          <span aria-hidden="true">=</span>
          <input
            name="provider-name"
            className="mono"
            aria-label={`The provider's name of ${row.name || `row ${index + 1}`}`}
            placeholder={index === 0 ? example : 'left out'}
            list={listId}
            value={row.model}
            maxLength={200}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange(withModel(rows, index, event.target.value))}
          />
        </div>
      ))}
      <datalist id={listId}>
        {offered.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <FieldProblem text={problem} />
      {rows.length < ROWS_MAX && (
        <LinkButton word="Another name" onClick={() => onChange([...rows, { name: '', model: '' }])} />
      )}
    </fieldset>
  );
}

/** A box for each model of the rows: models of one server differ. */
export function OpenedThoughts({ value: rows, onChange }: Field<readonly ModelRow[]>) {
  const models = modelsOf(rows);
  if (models.length === 0) return null;
  return (
    <fieldset className="model-fields">
      <legend>{'Thoughts are opened: an answer has </think> without <think>'}</legend>
      {models.map((model) => (
        <CheckField
          key={model}
          label={model}
          name="thoughts"
          value={opensThoughts(rows, model)}
          onChange={(areOpened) => onChange(withThoughts(rows, model, areOpened))}
        />
      ))}
    </fieldset>
  );
}
