import { type ComponentProps, useState } from 'react';
import { TextField } from './fields.tsx';
import { listItems, listText } from './list-text.ts';

type ListProps = Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'rows'> &
  Readonly<{
    /** The list; anything else counts as empty. */
    value: unknown;
    items?: 'texts' | 'numbers';
    onChange: (items: readonly (string | number)[]) => void;
  }>;

/** A list of short texts or numbers in one field, with commas between them. */
export function ListField({ value, items = 'texts', onChange, ...field }: ListProps) {
  const stored = listText(value);
  const [typed, setTyped] = useState(stored);
  return (
    <TextField
      {...field}
      spellCheck={false}
      // The text as it was typed, unless the list has other items meanwhile.
      value={listText(listItems(typed, items)) === stored ? typed : stored}
      onChange={(text) => {
        setTyped(text);
        onChange(listItems(text, items));
      }}
    />
  );
}
