import { useEffect, useState } from 'react';
import { LazyBoundary } from '../../ui/controls.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

const PaletteDialog = lazyPart(async () => (await import('./palette-dialog.tsx')).PaletteDialog);

/** Opens agents, conversations, runs and pages by name, with the keyboard alone: Ctrl+K or ⌘K. */
export function Palette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || event.ctrlKey === event.metaKey || event.altKey || event.shiftKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return open ? (
    <LazyBoundary fallback={null} failed={null}>
      <PaletteDialog onClose={() => setOpen(false)} />
    </LazyBoundary>
  ) : null;
}
