import { createElement, type ReactNode, useMemo } from 'react';
import { LinkButton } from '../../ui/controls.tsx';
import { WebLink } from '../citations/web-link.tsx';
import { useVillage } from '../village-context.ts';
import { type MarkdownNode, type MarkdownTag, markdownTree } from './markdown-tree.ts';

/** The parsed text. A heading is a paragraph in bold, because the text stands inside of a page with headings of its own. */
export function MarkdownView({ text }: { readonly text: string }) {
  const tree = useMemo(() => markdownTree(text), [text]);
  return <>{viewsOf(tree)}</>;
}

function viewsOf(nodes: readonly MarkdownNode[]): ReactNode {
  return nodes.map((node, index) => <NodeView key={index} node={node} />);
}

function NodeView({ node }: { readonly node: MarkdownNode }): ReactNode {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'break':
      return <br />;
    case 'code':
      return <code>{node.text}</code>;
    case 'block':
      return (
        <pre tabIndex={0}>
          <code>{node.text}</code>
        </pre>
      );
    case 'web':
      return <WebLink url={node.url} name={node.name} />;
    case 'post':
      return <PostLink postId={node.postId} text={node.text} />;
    case 'element':
      return <ElementView node={node} />;
  }
}

const HEADINGS: ReadonlySet<MarkdownTag> = new Set<MarkdownTag>(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

function ElementView({ node }: { readonly node: Extract<MarkdownNode, { kind: 'element' }> }): ReactNode {
  const { tag, start, align, children } = node;
  if (HEADINGS.has(tag))
    return (
      <p className="markdown-heading" data-level={tag.slice(1)}>
        {viewsOf(children)}
      </p>
    );
  if (tag === 'hr') return <hr />;
  if (tag === 'ol') return <ol start={start}>{viewsOf(children)}</ol>;
  if (tag === 'table')
    return (
      <div className="markdown-table" tabIndex={0} role="group" aria-label="Table">
        <table>{viewsOf(children)}</table>
      </div>
    );
  return createElement(tag, align === 'left' ? null : { 'data-align': align }, viewsOf(children));
}

function PostLink({ postId, text }: Readonly<{ postId: string; text: string }>) {
  const { open } = useVillage();
  return <LinkButton word={text} onClick={() => open({ view: 'board', post: postId })} />;
}
