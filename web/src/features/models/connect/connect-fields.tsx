import { CONNECTABLE_KINDS } from '@hamlet/contract';
import type { ReactElement } from 'react';
import type { Field, FormDraft } from '../../../client/drafts.ts';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { PROVIDER_KINDS } from '../provider-kinds.ts';
import type { ConnectDraft, ConnectProblems } from './connect-draft.ts';
import { ModelRows } from './model-rows.tsx';
import { NameFields } from './name-fields.tsx';
import { OwnerField } from './owner-field.tsx';

interface FieldsProps extends Pick<FormDraft<ConnectDraft>, 'draft' | 'of'> {
  readonly problems: ConnectProblems;
  readonly isNew: boolean;
  /** The key, which the page never shows or stores. */
  readonly secret: Field<string>;
}

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
          <NameFields
            isNew={isNew}
            defaultName={draft.kind}
            problems={problems}
            name={of('name')}
            context={of('context')}
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
