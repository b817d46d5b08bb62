import type { ComponentProps, JSX } from 'react';

/** A button that looks like a link; `className` adds to it. */
export const LinkButton = ({ className = '', ...props }: ComponentProps<'button'>): JSX.Element => (
  <button {...props} type="button" className={`pp-link ${className}`.trimEnd()} />
);
