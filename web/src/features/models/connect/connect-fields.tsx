import { CONNECTABLE_KINDS } from '@hamlet/contract';
import type { ReactElement } from 'react';
import type { Field, FormDraft } from '../../../client/drafts.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { FieldProblem, SelectField, TextField } from '../../../ui/fields.tsx';
import { useAgentNames } from '../../agent-list/use-agent-names.ts';
import type { ConnectDraft, ConnectProblems, ModelRow } from './connect-draft.ts';
import { PROVIDER_KINDS } from '../provider-kinds.ts';

interface FieldsProps extends Pick<FormDraft<ConnectDraft>, 'draft' | 'of'> {
  readonly problems: ConnectProblems;
  readonly isNew: boolean;
  /** The key, which the page never shows or stores. */
  readonly secret: Field<string>;
}

const ROWS_MAX = 50;

/** The fields of a provider: kind, address, key, models, and the rest folded. */
export function ConnectFields({ draft, of, problems, isNew, secret }: FieldsProps): ReactElement {
  const kind = PROVIDER_KINDS[draft.kind];
  return (
    <>
      <SelectField
        label="Provider"
        name="kind"
        options={CONNECTABLE_KINDS.map((each) => [each, `${PROVIDER_KINDS[each].word}: ${PROVIDER_KINDS[each].hint}`])}
        {...of('kind')}
      />
      {kind.address !== null && (
        <TextField
          label="Address, with /v1 if the server has it"
          name="address"
          className="mono"
          spellCheck={false}
          placeholder={kind.address}
          problem={problems.address}
          {...of('address')}
        />
      )}
      <TextField
        label={kind.key === 'needed' ? 'Key' : 'Key, if the server needs one'}
        name="key"
        type="password"
        className="mono"
        autoComplete="new-password"
        placeholder={isNew ? '' : 'The stored key is not shown'}
        problem={problems.key}
        {...secret}
      />
      <p className="hint">The village seals the key and never shows it again. Models of the village use it at once.</p>
      <ModelRows example={kind.model} problem={problems.models} {...of('models')} />
      <details className="connect-more">
        <summary>Name, limits and owner</summary>
        <div className="form-grid">
          <TextField
            label="Name of this connection"
            name="name"
            disabled={!isNew}
            spellCheck={false}
            placeholder={draft.kind}
            problem={problems.name}
            {...of('name')}
          />
          <TextField
            label="Tokens of prompt and answer"
            name="context"
            inputMode="numeric"
            placeholder="32768"
            problem={problems.context}
            {...of('context')}
          />
          <TextField
            label="Requests at one time"
            name="in-flight"
            inputMode="numeric"
            placeholder="no limit"
            problem={problems.inFlight}
            {...of('inFlight')}
          />
          <OwnerField isNew={isNew} {...of('agent')} />
        </div>
      </details>
    </>
  );
}

function OwnerField({ isNew, value, onChange }: Field<string> & { readonly isNew: boolean }): ReactElement {
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

type RowsProps = Field<readonly ModelRow[]> & Readonly<{ example: string; problem: string | undefined }>;

/** The models of a provider: for each name that tiers use, the provider's name of the model. */
function ModelRows({ value: rows, onChange, example, problem }: RowsProps): ReactElement {
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
