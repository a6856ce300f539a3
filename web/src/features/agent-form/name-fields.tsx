import type { Field } from '../../client/drafts.ts';
import { TextField } from '../../ui/fields.tsx';
import { FormPart, SpecText } from './fields/spec-form.tsx';

type NameProps = Field<string> & Readonly<{ problem: string | undefined }>;

/** The title that people read, and the name in the cluster, which follows the title until a person writes another. */
export function NameFields({ value, onChange, problem }: NameProps) {
  return (
    <FormPart title="Name">
      <div className="form-grid">
        <SpecText path={['displayName']} label="Name" maxLength={64} placeholder="Ada" />
        <TextField
          label="Name in the cluster"
          name="agent-id"
          className="mono"
          spellCheck={false}
          value={value}
          onChange={onChange}
          problem={problem}
          placeholder="ada"
        />
      </div>
    </FormPart>
  );
}
