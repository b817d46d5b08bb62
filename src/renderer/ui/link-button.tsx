import type { ComponentProps, JSX } from 'react';

export const LinkButton = ({ className = '', ...props }: ComponentProps<'button'>): JSX.Element => (
  <button {...props} type="button" className={`pp-link ${className}`.trimEnd()} />
);
