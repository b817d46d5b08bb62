// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { soon } from '#tests/support/soon.ts';
import { NoticesDialog } from './notices-dialog.tsx';

afterEach(() => vi.unstubAllGlobals());

async function shown(answer: () => Response): Promise<string> {
  vi.stubGlobal('fetch', async () => answer());
  const mounted = await mount(<NoticesDialog onClose={() => {}} />);
  await soon(() => expect(document.body.textContent).not.toContain('Reading…'));
  const text = document.body.textContent ?? '';
  await mounted.unmount();
  return text;
}

test('each package is listed with its version, licence and licence text', async () => {
  const text = await shown(() =>
    Response.json([{ name: 'react', version: '1.2.3', identifier: 'MIT', text: 'Permission is granted' }]),
  );
  expect(text).toContain('react 1.2.3 MIT');
  expect(text).toContain('Permission is granted');
  expect(text).toMatch(/1 package(?!s)/);
});

test('a package without a licence text says so', async () => {
  const text = await shown(() =>
    Response.json([{ name: 'a', version: '1.0.0', identifier: 'ISC', text: '' }]),
  );
  expect(text).toContain('This package includes no licence text');
});

test.each([
  ['missing', () => new Response(null, { status: 404 }), 'This build has no notices'],
  ['of another shape', () => Response.json({ notices: [] }), 'could not be loaded'],
])('a list that is %s is told apart from none', async (_, answer, words) => {
  expect(await shown(answer)).toContain(words);
});
