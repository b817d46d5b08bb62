/** docs/coverage-*.md: every test named there exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const maps = readdirSync(path.join(root, 'docs')).filter((name) => /^coverage-.*\.md$/.test(name));

const fileOf = (name: string): string =>
  path.join(root, name.replace(/^e2e\//, 'tests/e2e/').replace(/^it\//, 'tests/integration/'));

/** A title is in single quotes, double quotes or backticks; an apostrophe in it may be escaped. */
const plain = (text: string): string => text.replaceAll("\\'", "'");

describe.each(maps)('docs/%s', (name) => {
  const text = readFileSync(path.join(root, 'docs', name), 'utf8');
  const named = [...text.matchAll(/`([^`]+\.(?:test|e2e)\.tsx?)(?: › ([^`]+))?`/g)].map(
    ([, file, title]) => ({
      file: file ?? '',
      title: title ?? '',
    }),
  );

  it('names tests', () => expect(named.length).toBeGreaterThan(20));

  it.each(named.filter(({ file }) => file !== 'tests/integration/coverage.test.ts'))(
    '$file › $title',
    ({ file, title }) => {
      expect(existsSync(fileOf(file))).toBe(true);
      expect(plain(readFileSync(fileOf(file), 'utf8'))).toContain(title);
    },
  );

  it('leaves no line without a test', () => {
    const lines = text.split('\n').filter((line) => /^\| (?!Field|Line|Call|Promise|-)/.test(line));
    for (const line of lines.filter((one) => !one.startsWith('|---')))
      expect(line).toMatch(/\.(?:test|e2e)\.ts/);
  });
});
