/** Whether Parapet's own checks find something in an email that its service calls clean. */
export const disagree = (
  verdict: 'found' | 'suspicious' | null | undefined,
  service: string | null | undefined,
): boolean => verdict != null && service === 'clean';
