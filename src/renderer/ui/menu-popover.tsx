import { PopoverNext, type PopoverNextProps } from '@blueprintjs/core';
import type { JSX } from 'react';

/**
 * A popover as menus have it: no arrow, no bounce. A chosen item may open a dialog, so the focus does not come back
 * on its own, but for Escape: it would be taken from the dialog's first field while somebody types.
 */
export function MenuPopover(props: PopoverNextProps): JSX.Element {
  return <PopoverNext animation="minimal" arrow={false} shouldReturnFocusOnClose={false} {...props} />;
}
