/**
 * Pages of docs/guide as modules, so that the window shows the same pages without a Markdown parser or HTML of its own:
 * `import page from '…/docs/guide/start.md'` is a GuidePage (src/renderer/features/guide/page.ts).
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type MarkedToken, marked, type Token } from 'marked';
import type { Plugin } from 'vite';
import type { GuideBlock, GuideInline, GuidePage } from '../src/renderer/features/guide/page.ts';

/** Fails the build for Markdown that the window cannot draw. */
const unknown = (token: Token): never => {
  throw new Error(`docs/guide: the window cannot draw ${token.type}: ${token.raw.slice(0, 80)}`);
};

/** Without extensions the library makes no others. */
const known = (tokens: readonly Token[]) => tokens as readonly MarkedToken[];

function inlineOf(tokens: readonly Token[] = []): GuideInline[] {
  return known(tokens).flatMap((token): GuideInline[] => {
    switch (token.type) {
      case 'text':
        return 'tokens' in token && token.tokens
          ? inlineOf(token.tokens)
          : [{ kind: 'text', text: token.text }];
      case 'escape':
        return [{ kind: 'text', text: token.text }];
      case 'strong':
        return [{ kind: 'strong', text: token.text }];
      case 'codespan':
        return [{ kind: 'code', text: token.text }];
      case 'link':
        return [{ kind: 'link', text: token.text, to: token.href }];
      case 'image':
        return [{ kind: 'image', text: token.text, from: token.href }];
      default:
        return unknown(token);
    }
  });
}

function blockOf(token: MarkedToken): GuideBlock[] {
  switch (token.type) {
    case 'space':
      return [];
    case 'heading':
      return [{ kind: 'heading', level: token.depth, text: token.text }];
    case 'paragraph':
      return [{ kind: 'paragraph', inline: inlineOf(token.tokens) }];
    case 'code':
      return [{ kind: 'code', text: token.text }];
    case 'list':
      return [{ kind: 'list', items: token.items.map((item) => inlineOf(item.tokens)) }];
    case 'table': {
      const { header, rows } = token;
      return [
        {
          kind: 'table',
          header: header.map((cell) => inlineOf(cell.tokens)),
          rows: rows.map((row) => row.map((cell) => inlineOf(cell.tokens))),
        },
      ];
    }
    default:
      return unknown(token);
  }
}

/** A page of Markdown as blocks. Throws for Markdown that the window cannot draw. */
export function guidePage(markdown: string): GuidePage {
  const blocks = known(marked.lexer(markdown)).flatMap(blockOf);
  const [title] = blocks;
  if (title?.kind !== 'heading' || title.level !== 1)
    throw new Error('docs/guide: a page must begin with its title');
  return { title: title.text, blocks: blocks.slice(1) };
}

/** The plugin of the renderer's build. */
export const guidePages = (): Plugin => ({
  name: 'guide-pages',
  load(id) {
    if (!id.endsWith('.md')) return null;
    const images: string[] = [];
    const json = JSON.stringify(guidePage(readFileSync(id, 'utf8')), (key, value: unknown) => {
      if (key !== 'from' || typeof value !== 'string') return value;
      images.push(path.resolve(path.dirname(id), value));
      return `image ${images.length - 1}`;
    }).replaceAll(/"image (\d+)"/g, 'image$1');
    const imports = images.map((file, at) => `import image${at} from ${JSON.stringify(file)};`);
    return `${imports.join('\n')}\nexport default ${json};`;
  },
});
