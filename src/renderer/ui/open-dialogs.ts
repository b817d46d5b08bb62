/** The dialogs that are open, the topmost last. One that is on its way out no longer counts: its overlay is closed. */
export const openDialogs = (): Element[] => [
  ...document.querySelectorAll('.bp6-overlay.bp6-overlay-open .bp6-dialog'),
];
