import type { JSX } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { TimePanel } from './time-panel.tsx';
import { WeekPanel } from './week-panel.tsx';

const nothing = () => undefined;
const histogram = { edges: [], logins: new Float64Array(0) } as unknown as Parameters<
  typeof TimePanel
>[0]['histogram'];
const drawn = (panel: JSX.Element) => renderToStaticMarkup(panel);

it('logins that failed to load are not shown as having no times, nor as an empty week', () => {
  const none = { title: 'Logins not loaded', reason: '7 of 7 layers could not be read.' };
  const time = drawn(<TimePanel histogram={histogram} window={undefined} onWindow={nothing} none={none} />);
  const week = drawn(
    <WeekPanel week={new Float64Array(168)} hours={undefined} onHours={nothing} none={none} />,
  );
  for (const panel of [time, week]) expect(panel).toContain('7 of 7 layers could not be read.');
  expect(time).not.toContain('None of these logins');
  expect(week).not.toContain('0 logins');
});

it('logins without times are explained, and selected hours can be cleared', () => {
  expect(
    drawn(<TimePanel histogram={histogram} window={undefined} onWindow={nothing} none={null} />),
  ).toContain('None of these logins has a time.');
  const none = { title: 'No matching logins', reason: 'None of 9 logins passes the filter.' };
  const week = drawn(<WeekPanel week={new Float64Array(168)} hours={[9]} onHours={nothing} none={none} />);
  expect(week).toContain('0 logins');
  expect(week).toContain('Clear');
});
