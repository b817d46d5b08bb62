/** Whether Parapet's own checks find something in an email that its service calls clean. */
export const disagree = (
  own: 'found' | 'suspicious' | null | undefined,
  service: string | null | undefined,
): boolean => own != null && service === 'clean';
