import { Button } from '@blueprintjs/core';
import { Trash } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import type { Query } from '#shared/model/entities.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { deleteQueries, UNDO_MS } from '../query-delete.ts';

/** Deleting is the service's; the toast that follows offers Undo until it is sent. */
export function DeleteDialog({
  queries,
  onClose,
}: {
  queries: readonly Query[];
  onClose: () => void;
}): JSX.Element {
  const confirm = () => {
    onClose();
    void deleteQueries(queries);
  };
  return (
    <Dialog
      isOpen
      size="narrow"
      title={`Delete ${plural(queries.length, 'query', 'queries')}?`}
      icon={<Trash size={14} />}
      onClose={onClose}
      onConfirm={confirm}
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button
            intent="danger"
            text={`Delete ${plural(queries.length, 'query', 'queries')}`}
            endIcon={<Kbd keys="Ctrl Enter" />}
            onClick={confirm}
          />
        </>
      }
    >
      <ul className="pp-plain-list">
        {queries.slice(0, 10).map(({ id, name }) => (
          <li key={id} className="pp-ellipsis">
            {visibleText(name)}
          </li>
        ))}
      </ul>
      {queries.length > 10 ? <span className="pp-t3">and {exact(queries.length - 10)} more</span> : null}
      <p className="pp-small pp-t2">
        They are deleted on the service, for everyone, with their schedules. You can undo it for{' '}
        {UNDO_MS / 1000} s; then it is sent, also when this window is closed or another connection is opened.
        It stands in the journal from now on.
      </p>
    </Dialog>
  );
}
