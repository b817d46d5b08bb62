/** The origin of a mail of evidence: its files, the mails that contain it, its hash, and when it was imported. */
import type { JSX } from 'react';
import { type FactTimes, timeFact } from '#renderer/entity/fact-parts.tsx';
import { openEmail } from '#renderer/state/navigation.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import type { EmailEvidence } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { ABSENT_LABELS, activeContent, placeWords } from './labels.ts';

/** Number of list entries a fact names; the rest are counted. */
const NAMED = 10;

function Rest({ total, shown }: { total: number; shown: number }): JSX.Element | null {
  return total > shown ? <span className="en-line pp-t2">and {exact(total - shown)} more</span> : null;
}

function linked(label: string, list: EmailEvidence['attached'], total: number, saas: string): Fact[] {
  if (total === 0) return [];
  const shown = list.slice(0, NAMED);
  const value = (
    <>
      {shown.map(({ entity_id, subject, from, part }) => (
        <span key={`${entity_id} ${part}`} className="en-line">
          <button type="button" className="pp-link" onClick={() => openEmail(saas, entity_id, subject)}>
            {subject.trim() === '' ? 'No subject' : visibleText(subject.slice(0, 200))}
          </button>{' '}
          <span className="pp-t3">{from === null ? 'No sender' : visibleText(from)}</span>
          {part.includes('/') ? (
            <span className="pp-t3 pp-wrap-anywhere">
              {' '}
              in {visibleText(part.slice(part.indexOf('/') + 1))}
            </span>
          ) : null}
        </span>
      ))}
      <Rest total={total} shown={shown.length} />
    </>
  );
  return [{ label, value }];
}

function places({ places: list, places_total: total }: EmailEvidence): Fact {
  const shown = list.slice(0, NAMED);
  if (total === 0) return { label: 'Found in', value: 'Only attached to other emails' };
  return {
    label: 'Found in',
    value: (
      <>
        {shown.map((place) => (
          <span key={`${place.file} ${place.offset}`} className="en-line pp-wrap-anywhere">
            {visibleText(place.file)} <span className="pp-t3">{placeWords(place)}</span>
            {place.absent === null ? null : (
              <span className="pp-unknown"> {ABSENT_LABELS[place.absent] ?? visibleText(place.absent)}</span>
            )}
          </span>
        ))}
        <Rest total={total} shown={shown.length} />
      </>
    ),
  };
}

function problems(list: readonly string[]): Fact[] {
  if (list.length === 0) return [];
  const shown = list.slice(0, NAMED);
  const value = (
    <>
      {shown.map((one) => (
        <span key={one} className="en-line">
          {visibleText(one)}
        </span>
      ))}
      <Rest total={list.length} shown={shown.length} />
    </>
  );
  return [{ label: 'Parsing problems', value }];
}

/** The mails that contain it and those attached to it, as links. */
export const attachedFacts = (evidence: EmailEvidence, saas: string): Fact[] => [
  ...linked('Attached to', evidence.attached_to, evidence.attached_to_total, saas),
  ...linked('Attached emails', evidence.attached, evidence.attached_total, saas),
];

export function evidenceFacts(evidence: EmailEvidence, times: FactTimes): Fact[] {
  return [
    places(evidence),
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
    ...problems(evidence.problems),
  ];
}
