import { Button } from '@blueprintjs/core';
import { GitMerge } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { TableHead } from '#renderer/ui/table-head.tsx';
import { visibleText } from '#shared/model/format.ts';
import { queryFieldLabel } from '#shared/query/import-plan.ts';
import { useEditConflict } from './replace-query.ts';
import './queries.css';

const none = <span className="pp-t3">unchanged</span>;

/** Someone else saved the query meanwhile: shows both versions to choose from. No keyboard shortcut confirms it. */
export function ConflictDialog(): JSX.Element | null {
  const open = useEditConflict((store) => store.open);
  if (open === null) return null;
  const { conflict, choose } = open;
  const { name, theirs, mine } = conflict;
  const fields = [...new Set([...theirs, ...mine].map(({ field }) => field))];
  const keep = () => choose('neither');
  return (
    <Dialog
      size="wide"
      title="This query was changed by someone else"
      icon={<GitMerge size={14} />}
      onClose={keep}
      footNote={<span className="pp-t3 pp-small">Fields you didn’t change keep their version.</span>}
      actions={
        <>
          <Button text="Cancel" onClick={keep} />
          <Button text="Use their version" onClick={() => choose('theirs')} />
          <Button intent="primary" text="Save my changes" onClick={() => choose('mine')} />
        </>
      }
    >
      <p className="pp-t2">
        “{visibleText(name)}” was saved by someone else while you were editing. Nothing has been sent yet.
      </p>
      <table className="pp-conflict">
        <TableHead heads={['Field', 'Original', 'Theirs', 'Yours']} />
        <tbody>
          {fields.map((field) => {
            const there = theirs.find((change) => change.field === field);
            const here = mine.find((change) => change.field === field);
            return (
              <tr key={field} data-both={there !== undefined && here !== undefined}>
                <th scope="row">{queryFieldLabel(field)}</th>
                <td>{visibleText((there ?? here)?.before ?? '')}</td>
                <td>{there ? visibleText(there.after) : none}</td>
                <td>{here ? visibleText(here.after) : none}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Dialog>
  );
}
