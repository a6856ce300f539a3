import { useEffect, useState } from 'react';
import { FilterField } from '../../ui/fields.tsx';
import { useVillage, useVillageState } from '../village-context.ts';

const TYPING_MS = 300;
const FIND_MAX_CHARS = 200;

export function SearchField({ label }: { readonly label: string }) {
  const { open } = useVillage();
  const find = useVillageState((state) => state.place.find);
  const [text, setText] = useState(find ?? '');
  // The back button and "Clear" change the address without this field.
  useEffect(() => setText((typed) => (typed.trim() === (find ?? '') ? typed : (find ?? ''))), [find]);
  useEffect(() => {
    const wanted = text.trim() === '' ? null : text.trim();
    if (wanted === find) return undefined;
    const timer = setTimeout(() => open({ find: wanted }), TYPING_MS);
    return () => clearTimeout(timer);
    // Only typing starts the timer.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [text]);
  return <FilterField label={label} maxLength={FIND_MAX_CHARS} value={text} onChange={setText} hasKey />;
}
