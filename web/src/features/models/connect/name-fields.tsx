import type { ReactElement } from 'react';
import type { Field } from '../../../client/drafts.ts';
import { TextField } from '../../../ui/fields.tsx';

interface NameFieldsProps {
  readonly isNew: boolean;
  /** The name of a connection whose field is empty. */
  readonly defaultName: string;
  readonly problems: { readonly name?: string | undefined; readonly context?: string | undefined };
  readonly name: Field<string>;
  readonly context: Field<string>;
}

/** The name of a connection, which is fixed once it is made, and the length of its conversations. */
export function NameFields({ isNew, defaultName, problems, name, context }: NameFieldsProps): ReactElement {
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
