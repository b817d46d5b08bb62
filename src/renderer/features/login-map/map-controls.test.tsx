import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { MapControls } from './map-controls.tsx';

const drawn = (isEmpty: boolean, zoomRefused: string | null) =>
  renderToStaticMarkup(
    <MapControls
      zoomRefused={zoomRefused}
      isEmpty={isEmpty}
      isWhole
      density={false}
      onZoom={() => undefined}
      onWhole={() => undefined}
    />,
  );

it('a map without logins does not claim that every app has few points', () => {
  expect(drawn(true, null)).not.toContain('every app');
  expect(drawn(false, null)).toContain('every app ≤ 3,000 points');
  expect(drawn(true, 'too many points')).toContain('too many points');
});
