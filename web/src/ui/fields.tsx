import { type ComponentProps, type InputHTMLAttributes, type ReactNode, useId } from 'react';
import type { IconName } from './icon-paths.ts';
import { Button, Icon, OwnedNotice, RefusedNotice } from './controls.tsx';
import type { Intent } from '../client/query/use-live.ts';

type InputOptions = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | 'autoComplete'
  | 'autoFocus'
  | 'className'
  | 'disabled'
  | 'inputMode'
  | 'maxLength'
  | 'placeholder'
  | 'required'
  | 'spellCheck'
  | 'type'
>;

interface TextFieldProps extends InputOptions {
  readonly label: ReactNode;
  readonly name: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly problem?: string | undefined;
  /** Marks the value as wrong; the problem is shown elsewhere. */
  readonly invalid?: boolean;
  /** The number of lines of a text area; without it, the field is one line of input. */
  readonly rows?: number;
  readonly suggestions?: readonly string[];
}

export function TextField({
  label,
  value,
  onChange,
  problem,
  invalid = problem !== undefined,
  rows,
  suggestions,
  autoComplete = 'off',
  ...input
}: TextFieldProps) {
  const listId = useId();
  const common = { ...input, value, autoComplete, 'aria-invalid': invalid };
  return (
    <label>
      {label}
      {rows === undefined ? (
        <input
          {...common}
          list={suggestions === undefined ? undefined : listId}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <textarea {...common} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
      {suggestions !== undefined && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      <FieldProblem text={problem} />
    </label>
  );
}

interface SelectFieldProps<T extends string> {
  readonly label: ReactNode;
  readonly name: string;
  readonly value: T;
  /** Each value with its label. An empty value means no choice. */
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
  readonly problem?: string | undefined;
  /** `pick` puts the label beside the field, for filters. */
  readonly className?: string;
  readonly disabled?: boolean;
}

export function SelectField<T extends string>({
  label,
  name,
  value,
  options,
  onChange,
  problem,
  className,
  disabled,
}: SelectFieldProps<T>) {
  return (
    <label className={className}>
      {label}
      <select
        name={name}
        value={value}
        disabled={disabled}
        onChange={(event) => {
          const chosen = options.find(([key]) => key === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
        aria-invalid={problem !== undefined}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      <FieldProblem text={problem} />
    </label>
  );
}

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly items: readonly Readonly<{ key: T; word: string; icon?: IconName }>[];
  readonly value: T;
  readonly onChange: (key: T) => void;
}

export function Segments<T extends string>({ label, items, value, onChange }: SegmentsProps<T>) {
  const name = useId();
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {items.map(({ key, word, icon }) => (
        <label key={key} className="segment" data-choice={key}>
          <input type="radio" name={name} value={key} checked={value === key} onChange={() => onChange(key)} />
          {icon !== undefined && <Icon name={icon} size={15} />}
          {word}
        </label>
      ))}
    </div>
  );
}

interface ChoicesProps<T extends string | null> {
  readonly label: string;
  readonly keys: readonly T[];
  readonly value: T;
  readonly wordOf: (key: T) => string;
  readonly onChange: (key: T) => void;
  readonly small?: boolean;
}

/** A row of chips with one chosen; the value null means all. */
export function Choices<T extends string | null>(props: ChoicesProps<T>) {
  const { label, keys, value, wordOf, onChange, small = false } = props;
  const name = useId();
  return (
    <div className="chips" role="radiogroup" aria-label={label}>
      {keys.map((key) => (
        <label key={key ?? 'all'} className={small ? 'choice choice-small' : 'choice'} data-choice={key ?? 'all'}>
          <input type="radio" name={name} checked={value === key} onChange={() => onChange(key)} />
          {wordOf(key)}
        </label>
      ))}
    </div>
  );
}

interface CheckProps {
  readonly label: ReactNode;
  readonly name?: string;
  readonly value: boolean;
  readonly onChange: (on: boolean) => void;
  readonly className?: string;
}

export function CheckField({ label, name, value, onChange, className = 'check' }: CheckProps) {
  return (
    <label className={className}>
      <input type="checkbox" name={name} checked={value} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

type ChipProps = Readonly<{ word: string; value: string; label: string; onEnd: () => void }>;

interface FilterProps extends Pick<InputOptions, 'maxLength'> {
  readonly id?: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** The key / moves the focus to the field, which shows the key. */
  readonly hasKey?: boolean;
}

export function FilterField({ label, placeholder = label, onChange, hasKey = false, ...input }: FilterProps) {
  return (
    <label className="filter">
      <Icon name="search" size={16} />
      <input
        {...input}
        type="search"
        data-search
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
        aria-label={label}
      />
      {hasKey && <kbd aria-hidden="true">/</kbd>}
    </label>
  );
}

/** A filter in use; `label` is the text of its button × for screen readers. */
export function FilterChip({ word, value, label, onEnd }: ChipProps) {
  return (
    <span className="chip">
      {word} <b>{value}</b>
      <button type="button" className="icon-button icon-button-small" onClick={onEnd} aria-label={label}>
        <span aria-hidden="true">×</span>
      </button>
    </span>
  );
}

export function FieldProblem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <span className="field-problem" role="alert">
      {text}
    </span>
  );
}

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & Readonly<{ onSend: () => unknown }>;

/** A form that the page sends itself. */
export function Form({ onSend, className, ...native }: FormProps) {
  return (
    <form
      {...native}
      className={className === undefined ? 'form' : `form ${className}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    />
  );
}

type SubmitProps = Readonly<{ word: string; busy: boolean }> & Omit<ComponentProps<typeof Button>, 'word'>;

export function SubmitButton({ word, busy, ...native }: SubmitProps) {
  return <Button look="strong" word={busy ? 'One moment…' : word} type="submit" aria-disabled={busy} {...native} />;
}

interface ActionFormProps {
  readonly label: string;
  readonly sending: Pick<Intent, 'busy' | 'refused'>;
  readonly ready: boolean;
  readonly word: string;
  readonly danger?: boolean;
  readonly onSend: () => unknown;
  readonly onCancel?: () => void;
  /** For a change of a custom resource: sends it again and takes over the fields of the other manager. */
  readonly onTakeOver?: () => void;
  readonly children: ReactNode;
}

export function ActionForm({
  label,
  sending,
  ready,
  word,
  danger = false,
  onSend,
  onCancel,
  onTakeOver,
  children,
}: ActionFormProps) {
  return (
    <Form className="action-form" aria-label={label} onSend={() => ready && !sending.busy && onSend()}>
      {children}
      {sending.refused !== null &&
        (onTakeOver === undefined ? (
          <RefusedNotice refused={sending.refused} />
        ) : (
          <OwnedNotice refused={sending.refused} onTakeOver={onTakeOver} />
        ))}
      <div className="button-row action-buttons">
        <SubmitButton
          word={word}
          busy={sending.busy}
          look={danger ? 'danger' : 'strong'}
          aria-disabled={!ready || sending.busy}
        />
        {onCancel !== undefined && <Button look="plain" word="Back" onClick={onCancel} />}
      </div>
    </Form>
  );
}
