import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { EntityFailures } from './bulk-dialog.tsx';

it.each([
  [199, 199, null],
  [200, 200, null],
  [201, 200, 'and 1 more'],
  [1_400, 200, 'and 1,200 more'],
])('of %i entities not saved %i are listed, and the rest are counted', (count, listed, words) => {
  const failures = Array.from({ length: count }, (_, at) => ({ entityId: `e${at}`, reason: 'Refused.' }));
  const drawn = renderToStaticMarkup(<EntityFailures failures={failures} />);
  expect(drawn.match(/Refused\./g)).toHaveLength(listed);
  if (words === null) expect(drawn).not.toContain('more');
  else expect(drawn).toContain(`>${words}<`);
});
