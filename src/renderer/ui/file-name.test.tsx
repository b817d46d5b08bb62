import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { FileName, TRICKY_NAME } from './file-name.tsx';

test('hidden characters in a name are made visible, with a warning', () => {
  const markup = renderToStaticMarkup(<FileName name={'invoice\u{202e}gpj.exe'} />);
  expect(markup).toContain('invoice‹U+202E›gpj.exe');
  expect(markup).toContain(TRICKY_NAME);
  expect(markup).not.toContain('\u{202e}');
});

test('any other name is shown as plain text', () => {
  expect(renderToStaticMarkup(<FileName name="報告 2026.pdf" />)).toBe('報告 2026.pdf');
});
