import type { ReactNode } from 'react';

/**
 * The little Markdown that a readme needs, as elements and never as HTML: paragraphs, headings, lists, code, emphasis and links.
 * What it does not know stays text.
 */
export function Markdown({ text }: { text: string }) {
  return <div className="flex flex-col gap-2 text-pretty text-muted">{blocksOf(text).map(toElement)}</div>;
}

export type Block =
  | { kind: 'heading' | 'paragraph'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; ordered: boolean; items: string[] };

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let code: string[] | undefined;
  let open: Block | undefined;
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (/^\s*```/.test(line)) {
      if (code) blocks.push({ kind: 'code', text: code.join('\n') });
      code = code ? undefined : [];
      open = undefined;
    } else if (code) code.push(line);
    else if (line.trim() === '') open = undefined;
    else open = takeLine(line, open, blocks);
  }
  if (code) blocks.push({ kind: 'code', text: code.join('\n') });
  return blocks;
}

/** Puts a line where it belongs and returns the block that the next line may continue. */
function takeLine(line: string, open: Block | undefined, blocks: Block[]): Block | undefined {
  const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
  if (heading !== undefined) {
    blocks.push({ kind: 'heading', text: heading });
    return undefined;
  }
  const item = /^\s*([-*]|\d+\.)\s+(.*)$/.exec(line);
  if (item) {
    const ordered = /\d/.test(item[1] ?? '');
    if (open?.kind === 'list' && open.ordered === ordered) {
      open.items.push(item[2] ?? '');
      return open;
    }
    return push(blocks, { kind: 'list', ordered, items: [item[2] ?? ''] });
  }
  if (open?.kind === 'list') {
    open.items.push(`${open.items.pop() ?? ''} ${line.trim()}`);
    return open;
  }
  if (open?.kind === 'paragraph') {
    open.text += ` ${line.trim()}`;
    return open;
  }
  return push(blocks, { kind: 'paragraph', text: line.trim() });
}

function push(blocks: Block[], block: Block): Block {
  blocks.push(block);
  return block;
}

function toElement(block: Block, index: number): ReactNode {
  switch (block.kind) {
    case 'heading':
      return (
        <h3 key={index} className="mt-1 font-semibold text-text">
          {inline(block.text)}
        </h3>
      );
    case 'code':
      return (
        <pre key={index} className="overflow-x-auto rounded-control border border-line bg-sunken px-2.5 py-1.5">
          {block.text}
        </pre>
      );
    case 'paragraph':
      return <p key={index}>{inline(block.text)}</p>;
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List key={index} className={`flex flex-col gap-1 pl-4 ${block.ordered ? 'list-decimal' : 'list-disc'}`}>
          {block.items.map((item) => (
            <li key={item}>{inline(item)}</li>
          ))}
        </List>
      );
    }
  }
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*(?! )([^*]*[^*\s])\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

export function inline(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, weak, label, href] = match;
    parts.push(text.slice(from, match.index));
    from = match.index + whole.length;
    if (code) parts.push(<code key={from}>{code}</code>);
    else if (strong) parts.push(<strong key={from}>{strong}</strong>);
    else if (weak) parts.push(<em key={from}>{weak}</em>);
    else {
      parts.push(
        <a key={from} href={href} target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
          {label}
        </a>,
      );
    }
  }
  return [...parts, text.slice(from)];
}
