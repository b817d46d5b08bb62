import type { JSX } from 'react';
import type { GuideBlock, GuideInline } from './page.ts';

type Inline = readonly GuideInline[];

/** The blocks of a page never move, so their index can be the key. */
const keyed = <T,>(parts: readonly T[]) => parts.map((part, index) => ({ key: String(index), part }));

interface Follow {
  /** Whether the window has the page that a link of the guide leads to. */
  leadsTo: (path: string) => boolean;
  follow: (path: string) => void;
}

function InlineText({ inline, leadsTo, follow }: Follow & { inline: Inline }): JSX.Element {
  return (
    <>
      {keyed(inline).map(({ key, part }) => {
        if (part.kind === 'strong') return <strong key={key}>{part.text}</strong>;
        if (part.kind === 'code') return <code key={key}>{part.text}</code>;
        if (part.kind === 'image')
          return (
            <img key={key} src={part.from} alt={part.text} loading="lazy" className="pp-guide-picture" />
          );
        if (part.kind === 'link' && leadsTo(part.to))
          return (
            <button key={key} type="button" className="pp-guide-link" onClick={() => follow(part.to)}>
              {part.text}
            </button>
          );
        return part.text;
      })}
    </>
  );
}

function Block({ block, ...links }: Follow & { block: GuideBlock }): JSX.Element {
  switch (block.kind) {
    case 'heading':
      return <h3>{block.text}</h3>;
    case 'paragraph':
      return (
        <p>
          <InlineText inline={block.inline} {...links} />
        </p>
      );
    case 'code':
      return <pre>{block.text}</pre>;
    case 'list':
      return (
        <ul>
          {keyed(block.items).map((item) => (
            <li key={item.key}>
              <InlineText inline={item.part} {...links} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return <GuideTable {...block} {...links} />;
  }
}

/** The blocks of a page below its title. Links to pages that the window does not have are shown as text. */
export function GuideBlocks({ blocks, ...links }: Follow & { blocks: readonly GuideBlock[] }): JSX.Element {
  return (
    <>
      {keyed(blocks).map(({ key, part }) => (
        <Block key={key} block={part} {...links} />
      ))}
    </>
  );
}

function GuideTable(
  props: Follow & { header: readonly Inline[]; rows: readonly (readonly Inline[])[] },
): JSX.Element {
  const { header, rows, ...links } = props;
  return (
    <table className="pp-guide-table">
      <thead>
        <tr>
          {keyed(header).map((cell) => (
            <th key={cell.key}>
              <InlineText inline={cell.part} {...links} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {keyed(rows).map((row) => (
          <tr key={row.key}>
            {keyed(row.part).map((cell) => (
              <td key={cell.key}>
                <InlineText inline={cell.part} {...links} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
