/** The origin of a mail of evidence: its files, the mails that contain it, its hash, and when it was imported. */
import { type FactTimes, timeFact } from '#renderer/entity/fact-parts.tsx';
import { foundIn, Lines } from '#renderer/entity/found-in.tsx';
import { openEmail } from '#renderer/state/navigation.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import type { EmailEvidence } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { activeContent, placeWords } from './labels.ts';

function linked(label: string, list: EmailEvidence['attached'], total: number, saas: string): Fact[] {
  if (total === 0) return [];
  const line = ({ entity_id, subject, from, part }: (typeof list)[number]) => (
    <>
      <LinkButton onClick={() => openEmail(saas, entity_id, subject)}>
        {subject.trim() === '' ? 'No subject' : visibleText(subject.slice(0, 200))}
      </LinkButton>{' '}
      <span className="pp-t3">{from === null ? 'No sender' : visibleText(from)}</span>
      {part.includes('/') ? (
        <span className="pp-t3 pp-wrap-anywhere"> in {visibleText(part.slice(part.indexOf('/') + 1))}</span>
      ) : null}
    </>
  );
  return [{ label, value: <Lines list={list} total={total} line={line} /> }];
}

export const attachedFacts = (evidence: EmailEvidence, saas: string): Fact[] => [
  ...linked('Attached to', evidence.attached_to, evidence.attached_to_total, saas),
  ...linked('Attached emails', evidence.attached, evidence.attached_total, saas),
];

export function evidenceFacts(evidence: EmailEvidence, times: FactTimes): Fact[] {
  return [
    evidence.places_total === 0
      ? { label: 'Found in', value: 'Only attached to other emails' }
      : foundIn(evidence.places, evidence.places_total, placeWords),
    {
      label: 'SHA-256',
      value: <EntityValue entity={{ kind: 'text', value: evidence.sha256 }} />,
      note: 'Of the whole message',
    },
    {
      ...timeFact('Imported', evidence.imported, times, false),
      ...(evidence.importer === null
        ? {}
        : { note: `By importer version ${visibleText(evidence.importer)}` }),
    },
    { label: 'Active content', value: activeContent(evidence.active) },
    ...(evidence.problems.length === 0
      ? []
      : [{ label: 'Parsing problems', value: <Lines list={evidence.problems} line={visibleText} /> }]),
  ];
}
