import { type ReactNode, useState } from 'react';
import type { Json } from '../../../client/json.ts';
import { Button, IconButton } from '../../../ui/controls.tsx';
import { FieldProblem, SelectField, TextField } from '../../../ui/fields.tsx';
import { rowsAt, type SpecPath, textAt, valueAt } from '../spec/edit-spec.ts';
import { ListField } from '../../../ui/list-field.tsx';
import { OwnerMark, useSpecForm } from './spec-form.tsx';

interface RowListProps {
  readonly path: SpecPath;
  /** One row in a word, such as `skill`. */
  readonly word: string;
  /** A row to begin with; its keys stay in the row when their texts are empty. */
  readonly blank: Json;
  readonly max: number;
  /** Rows that another field shows. A row with the focus stays in the list, so that a text can be written to its end. */
  readonly isElsewhere?: (row: Json) => boolean;
  readonly children: (row: SpecRow) => ReactNode;
}

export interface SpecRow {
  readonly row: Json;
  /** The label of a field for assistive technology, such as `Name of skill 2`. */
  labelOf(field: string): string;
  write(change: Json): void;
  readonly locked: boolean;
}

/** The rows of a list in the spec, with buttons that attach and detach one. */
export function RowList({ path, word, blank, max, isElsewhere = () => false, children }: RowListProps) {
  const { spec, write, problemOf, ownerOf } = useSpecForm();
  const [focused, setFocused] = useState<number | null>(null);
  const rows = rowsAt(spec, path);
  const locked = ownerOf(path) !== undefined;
  // An empty list means the same as none: it leaves the spec.
  const put = (next: readonly Json[]): void => write(path, next.length === 0 ? undefined : next);
  const withoutEmpty = (row: Json): Json =>
    Object.fromEntries(Object.entries(row).filter(([key, value]) => value !== '' || key in blank));
  return (
    <div className="agent-rows" role="group" aria-label={`Each ${word}`} data-list={path.join('.')}>
      <OwnerMark path={path} />
      {rows.map((row, index) =>
        index !== focused && isElsewhere(row) ? null : (
          // Rows have no identity besides their place.
          <div
            className="agent-row-fields"
            key={index}
            onFocus={() => setFocused(index)}
            onBlur={({ currentTarget, relatedTarget }) => {
              if (!currentTarget.contains(relatedTarget)) setFocused(null);
            }}
          >
            <div className="agent-row-parts">
              {children({
                row,
                locked,
                labelOf: (field) => `${field} of ${word} ${index + 1}`,
                write: (change) =>
                  put(rows.map((old, at) => (at === index ? withoutEmpty({ ...old, ...change }) : old))),
              })}
            </div>
            <IconButton
              icon="trash"
              label={`Remove ${word} ${index + 1}`}
              disabled={locked}
              onClick={() => put(rows.filter((_row, at) => at !== index))}
            />
            <FieldProblem text={problemOf([...path, String(index)])} />
          </div>
        ),
      )}
      <Button
        icon="plus"
        word={`Add a ${word}`}
        disabled={locked || rows.length >= max}
        data-add={word}
        onClick={() => put([...rows, blank])}
      />
    </div>
  );
}

type CellProps = Readonly<{ of: SpecRow; field: string; label: string }>;

export function RowText({
  of,
  field,
  label,
  ...input
}: CellProps & Readonly<{ placeholder?: string; suggestions?: readonly string[] }>) {
  return (
    <TextField
      {...input}
      label={<span title={of.labelOf(label)}>{label}</span>}
      name={field}
      spellCheck={false}
      value={textAt(of.row, [field])}
      disabled={of.locked}
      onChange={(text) => of.write({ [field]: text })}
    />
  );
}

/** A list of short texts or numbers. An empty one leaves the row. */
export function RowItems({
  of,
  field,
  label,
  ...input
}: CellProps & Readonly<{ items?: 'texts' | 'numbers'; placeholder: string }>) {
  return (
    <ListField
      {...input}
      label={<span title={of.labelOf(label)}>{label}</span>}
      name={field}
      value={valueAt(of.row, [field])}
      disabled={of.locked}
      onChange={(items) => of.write({ [field]: items.length === 0 ? '' : items })}
    />
  );
}

export function RowSelect({
  of,
  field,
  label,
  options,
}: CellProps & Readonly<{ options: readonly (readonly [string, string])[] }>) {
  return (
    <SelectField
      label={<span title={of.labelOf(label)}>{label}</span>}
      name={field}
      value={textAt(of.row, [field])}
      options={options}
      disabled={of.locked}
      onChange={(text) => of.write({ [field]: text })}
    />
  );
}
