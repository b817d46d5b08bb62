import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Facts } from '#renderer/ui/facts.tsx';
import { plannedFacts } from './fact-parts.tsx';

const planned = (count: number) =>
  renderToStaticMarkup(
    <Facts
      facts={plannedFacts(
        Array.from({ length: count }, (_, index) => ({
          action: 'quarantine',
          time: `2026-12-${String(index + 1).padStart(2, '0')}T08:00:00Z`,
        })),
        'utc',
      )}
    />,
  );

it.each([
  [9, 9, null],
  [10, 10, null],
  [11, 10, 'and 1 more'],
  [25, 10, 'and 15 more'],
])('of %i scheduled actions %i are listed, and the rest are counted', (count, listed, words) => {
  const drawn = planned(count);
  expect(drawn.match(/quarantine at 2026-12/g)).toHaveLength(listed);
  if (words === null) expect(drawn).not.toContain('more');
  else expect(drawn).toContain(`>${words}<`);
});

it('without scheduled actions there is no fact', () => expect(plannedFacts([], 'utc')).toEqual([]));
