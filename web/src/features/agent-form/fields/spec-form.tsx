import { type ComponentProps, createContext, type ReactNode, useContext } from 'react';
import type { Json } from '../../../client/json.ts';
import { Icon } from '../../../ui/controls.tsx';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { type SpecPath, textAt } from '../spec/edit-spec.ts';

/** The spec that the fields of a form show and write. */
export interface SpecForm {
  readonly spec: Json;
  write(path: SpecPath, value: unknown): void;
  problemOf(path: SpecPath): string | undefined;
  /** The other manager that owns the part: its field is locked. Undefined if the form may write it. */
  ownerOf(path: SpecPath): string | undefined;
}

const Context = createContext<SpecForm | null>(null);
export const SpecFormProvider = Context.Provider;

export function useSpecForm(): SpecForm {
  const form = useContext(Context);
  if (form === null) throw new Error('SpecFormProvider is missing');
  return form;
}

type PartProps = Readonly<{ title: string; hint?: ReactNode; children: ReactNode }>;

/** A group of fields with its title. */
export function FormPart({ title, hint, children }: PartProps) {
  return (
    <fieldset className="card agent-part">
      <legend>{title}</legend>
      {hint !== undefined && <p className="hint">{hint}</p>}
      {children}
    </fieldset>
  );
}

/** Says whose field it is, if another manager owns it. */
export function OwnerMark({ path }: { readonly path: SpecPath }) {
  const owner = useSpecForm().ownerOf(path);
  return owner === undefined ? null : (
    <small className="agent-owner" data-owner={owner}>
      <Icon name="key" size={12} /> set by {owner}
    </small>
  );
}

type TextProps = Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'name' | 'problem' | 'disabled'> &
  Readonly<{ path: SpecPath }>;

export function SpecText({ path, label, ...field }: TextProps) {
  const { spec, write, problemOf, ownerOf } = useSpecForm();
  return (
    <TextField
      {...field}
      label={
        <span>
          {label} <OwnerMark path={path} />
        </span>
      }
      name={path.join('.')}
      value={textAt(spec, path)}
      onChange={(text) => write(path, text)}
      problem={problemOf(path)}
      disabled={ownerOf(path) !== undefined}
    />
  );
}

type SelectProps = Readonly<{
  path: SpecPath;
  label: string;
  /** The empty value stands for the default, which a written spec leaves out and the cluster adds. */
  options: readonly (readonly [value: string, text: string])[];
  usual: string;
}>;

/** One choice of the spec. A value that is not among the options stays, as an option of its own. */
export function SpecSelect({ path, label, options, usual }: SelectProps) {
  const { spec, write, problemOf, ownerOf } = useSpecForm();
  const written = textAt(spec, path);
  const value = written === usual ? '' : written;
  const known = options.some(([key]) => key === value);
  return (
    <SelectField
      label={
        <span>
          {label} <OwnerMark path={path} />
        </span>
      }
      name={path.join('.')}
      value={value}
      options={known ? options : [...options, [value, value]]}
      onChange={(chosen) => write(path, chosen)}
      problem={problemOf(path)}
      disabled={ownerOf(path) !== undefined}
    />
  );
}
