import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { ToolRow } from './stack-rows.ts';
import { Reasons } from './stack-table.tsx';

const reasons = (count: number) => {
  const row = {
    reasons: Array.from({ length: count }, (_, index) => ({ category: 'Rules', text: `reason-${index}` })),
  } as unknown as ToolRow;
  return renderToStaticMarkup(<Reasons row={row} summary={null} />);
};

it.each([
  [199, 199, null],
  [200, 200, null],
  [201, 200, '1 not shown'],
  [1_500, 200, '1,300 not shown'],
])('of %i reasons of a tool %i are shown, and the rest are counted', (count, shown, words) => {
  const drawn = reasons(count);
  expect(drawn.match(/reason-/g)).toHaveLength(shown);
  if (words === null) expect(drawn).not.toContain('not shown');
  else expect(drawn).toContain(`>${words}<`);
});
