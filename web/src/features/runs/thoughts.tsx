import { Markdown } from '../markdown/markdown.tsx';
import './calls.css';

/** The thoughts of a model before an answer, folded: the answer alone is addressed to people. */
export function Thoughts({ text }: { readonly text: string | null }) {
  if (text === null) return null;
  return (
    <details className="thoughts">
      <summary>Thoughts</summary>
      <Markdown text={text} />
    </details>
  );
}
