import { PopoverNext, type PopoverNextProps } from '@blueprintjs/core';
import type { JSX } from 'react';

/**
 * A popover for menus: no arrow, no bounce. Focus returns to its button on Escape only: a chosen item may open a
 * dialog, and returning the focus then would take it from the field that somebody types into.
 */
export function MenuPopover(props: PopoverNextProps): JSX.Element {
  return <PopoverNext animation="minimal" arrow={false} shouldReturnFocusOnClose={false} {...props} />;
}
