import { useMemo } from 'react';
import { LinkButton } from '../../../ui/controls.tsx';
import { WebLink } from '../../citations/cited-text.tsx';
import { useVillage } from '../../village-context.ts';
import { type Block, type Inline, textBlocks } from './text-blocks.ts';

/** A text of an agent with paragraphs, lists and code. It loads no images. It links to posts, and to pages that the run opened. */
export function RichText({ text }: { readonly text: string }) {
  const blocks = useMemo(() => textBlocks(text), [text]);
  return (
    <div className="rich-text">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <Line parts={item} />
        </li>
      ));
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'heading':
    case 'paragraph':
      return (
        <p className={block.kind === 'heading' ? 'rich-heading' : undefined}>
          {block.lines.map((line, index) => (
            <span key={index}>
              {index > 0 && <br />}
              <Line parts={line} />
            </span>
          ))}
        </p>
      );
  }
}

function Line({ parts }: { readonly parts: readonly Inline[] }) {
  return (
    <>
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </>
  );
}

function Part({ part }: { readonly part: Inline }) {
  const { open } = useVillage();
  switch (part.kind) {
    case 'text':
      return <>{part.text}</>;
    case 'strong':
      return <b>{part.text}</b>;
    case 'code':
      return <code>{part.text}</code>;
    case 'web':
      return <WebLink url={part.url} name={part.name} text={part.text} />;
    case 'post': {
      const { postId } = part;
      return <LinkButton word={part.text} onClick={() => open({ view: 'board', post: postId })} />;
    }
  }
}
