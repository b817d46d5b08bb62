// @vitest-environment happy-dom
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Figures } from './figures.tsx';

it.each([
  ['while they are read', { data: undefined, loading: true }, 'Loading counts'],
  ['after a failure', { data: undefined, loading: false }, 'could not be loaded'],
  [
    'once the service has answered',
    { data: { from: '', to: '', apps: [] }, loading: false },
    'the service has no counts',
  ],
])('counts that are not there, %s', (_, read, words) => {
  expect(renderToStaticMarkup(<Figures counts={undefined} read={read} label="Sandbox" />)).toContain(words);
});
