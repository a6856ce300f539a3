import { useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';

/** The objects that the form makes, as `kubectl apply` takes them. On a phone it opens when a person asks for it. */
export function YamlPane({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(() => window.matchMedia('(min-width: 760px)').matches);
  return (
    <details
      className="card agent-yaml"
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      aria-label="YAML"
    >
      <summary>YAML</summary>
      <p className="hint">
        The same as this form: <code>kubectl apply -f</code> makes it too.
      </p>
      {/* A long text scrolls, so it takes the focus of the keyboard. */}
      <pre tabIndex={0} role="region" aria-label="YAML of the agent" data-yaml>
        {text}
      </pre>
      <CopyButton text={text} word="Copy" />
    </details>
  );
}
