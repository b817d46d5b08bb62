import type { JSX } from 'react';
import { openEmail } from '#renderer/state/navigation.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { directionOf } from '#renderer/ui/text-direction.ts';
import type { Row } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';

export function textOf(row: Row, key: string): string {
  const value = row[key];
  return typeof value === 'string' ? value : '';
}

export function SubjectLink({ row }: { row: Row }): JSX.Element {
  const subject = visibleText(textOf(row, 'subject')) || '(no subject)';
  return (
    <LinkButton
      className="pp-ellipsis"
      title={subject}
      dir={directionOf(subject)}
      onClick={() => openEmail(textOf(row, 'saas'), textOf(row, 'entity_id'), subject)}
    >
      {subject}
    </LinkButton>
  );
}

export function Sender({ row }: { row: Row }): JSX.Element {
  const from = visibleText(textOf(row, 'from_email'));
  return (
    <span className="pp-mono" title={from || 'No sender in the email'}>
      {from || <span className="pp-unknown">Unknown</span>}
    </span>
  );
}
