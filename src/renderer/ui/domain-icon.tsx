import { Chat, Document, Envelope, HandUp, Help, People, Person } from '@blueprintjs/icons';
import type { ComponentType, JSX } from 'react';
import { dictionary } from '#shared/dictionary.ts';
import { domainLabel } from '#shared/model/domains.ts';

const ICONS: Readonly<Record<string, ComponentType<{ size?: number }>>> = dictionary({
  email: Envelope,
  file: Document,
  user: Person,
  group: People,
  message: Chat,
  click: HandUp,
});

export function DomainIcon({ domain, size = 14 }: { domain: string; size?: number }): JSX.Element {
  const Icon = ICONS[domain] ?? Help;
  return (
    <span className="pp-cell-icon" title={domainLabel(domain)}>
      <Icon size={size} />
    </span>
  );
}
