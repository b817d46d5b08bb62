import { WarningSign } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { isTrickyName, visibleName } from '#shared/model/format.ts';

export const TRICKY_NAME =
  'This name contains invisible or direction-changing characters, shown here as code points. They are left out of the saved file’s name.';

/** The declared name of a file with hidden characters made visible, and a warning if there are any. */
export function FileName({ name, shown }: { name: string; shown?: ReactNode }): JSX.Element {
  if (!isTrickyName(name)) return <>{shown ?? visibleName(name)}</>;
  return (
    <span title={`${visibleName(name)}\n${TRICKY_NAME}`}>
      <span className="pp-caution">
        <WarningSign size={12} title={TRICKY_NAME} />
      </span>{' '}
      {shown ?? visibleName(name)}
    </span>
  );
}
