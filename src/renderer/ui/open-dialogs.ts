/** The open dialogs, the topmost last. One that is animating out no longer counts. */
export const openDialogs = (): Element[] => [
  ...document.querySelectorAll('.bp6-overlay.bp6-overlay-open .bp6-dialog'),
];
