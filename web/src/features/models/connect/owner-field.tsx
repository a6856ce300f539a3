import type { ReactElement } from 'react';
import type { Field } from '../../../client/drafts.ts';
import { SelectField } from '../../../ui/fields.tsx';
import { useAgentNames } from '../../agent-list/use-agent-names.ts';

/** The owner of a provider: the village, or one agent. The owner of a stored provider cannot be changed. */
export function OwnerField({ isNew, value, onChange }: Field<string> & { readonly isNew: boolean }): ReactElement {
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
