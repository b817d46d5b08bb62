import { expect, it } from 'vitest';
import { toastPlace } from './toast-place.ts';

const WINDOW = { width: 1440, height: 900 };
const box = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });

it.each([
  ['nothing is open', WINDOW, [], box(948, 40, 1440, 880)],
  ['a dialog leaves room at its right', WINDOW, [box(420, 100, 1020, 800)], box(1020, 40, 1440, 880)],
  ['a drawer is at the right', WINDOW, [box(960, 0, 1440, 900)], box(468, 40, 960, 880)],
  [
    'a dialog lies over a drawer',
    WINDOW,
    [box(960, 0, 1440, 900), box(420, 100, 1020, 800)],
    box(0, 40, 420, 880),
  ],
  ['only below is room', { width: 700, height: 900 }, [box(50, 60, 650, 500)], box(208, 500, 700, 880)],
  ['there is no room', { width: 700, height: 500 }, [box(50, 60, 650, 450)], null],
])('[promise] toasts cover no dialog, no drawer and no title bar: %s', (_, window, layers, place) => {
  expect(toastPlace(window, 40, layers)).toEqual(place);
});
