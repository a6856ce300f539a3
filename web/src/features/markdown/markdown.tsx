import { lazy, useDeferredValue } from 'react';
import { LazyBoundary } from '../../ui/controls.tsx';
import './markdown.css';

const MarkdownView = lazy(async () => ({ default: (await import('./markdown-view.tsx')).MarkdownView }));

type MarkdownProps = Readonly<{ text: string; className?: string | undefined }>;

/**
 * A text of a person or an agent in Markdown: the one way in which the village shows such texts. It loads no images and
 * no HTML, and links only to posts and to pages that the run of the text opened. Shows the plain text until the parser
 * is here, and if it cannot be loaded.
 */
export function Markdown({ text, className }: MarkdownProps) {
  // While an answer arrives word by word, parsing must not delay the page.
  const shown = useDeferredValue(text);
  const plain = <p className="prose">{shown}</p>;
  return (
    <div className={className === undefined ? 'markdown' : `markdown ${className}`}>
      <LazyBoundary fallback={plain} failed={plain}>
        <MarkdownView text={shown} />
      </LazyBoundary>
    </div>
  );
}
