import type { Field } from '../client/drafts.ts';
import { SelectField } from '../ui/fields.tsx';
import { useAgentNames } from './village-context.ts';

type AgentFieldProps = Field<string> & { readonly problem?: string | undefined };

/** A field to choose one agent of the village. An id that the village does not have stays in the list and is marked. */
export function AgentField({ value, onChange, problem }: AgentFieldProps) {
  const agents = useAgentNames();
  const gone = value !== '' && !agents.some(({ id }) => id === value);
  return (
    <SelectField
      label="Agent"
      name="agent"
      value={value}
      options={[
        ['', 'Choose an agent'],
        ...(gone ? [[value, `${value} (not in the village)`] as const] : []),
        ...agents.map(({ id, name }) => [id, name === id ? id : `${name} (${id})`] as const),
      ]}
      onChange={onChange}
      problem={problem}
    />
  );
}
