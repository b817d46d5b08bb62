import {
  Application,
  Box,
  Chat,
  Cloud,
  Cut,
  DocumentShare,
  Endorsed,
  Envelope,
  FolderShared,
  HandUp,
  IdNumber,
  Inbox,
  LabTest,
  Link,
  Pulse,
  Shield,
  Virus,
} from '@blueprintjs/icons';
import type { ComponentType, JSX } from 'react';
import { dictionary } from '#shared/dictionary.ts';
import type { App } from '#shared/model/entities.ts';
import { toolName } from '#shared/model/white-label.ts';

type Icon = ComponentType<{ size?: number }>;

const SAAS: readonly (readonly [RegExp, Icon])[] = [
  [/gmail|google_mail|inbox/i, Inbox],
  [/mail|exchange|office365_emails/i, Envelope],
  [/sharepoint/i, FolderShared],
  [/drive|cloud/i, Cloud],
  [/teams|slack|chat/i, Chat],
  [/box/i, Box],
];

/** By the tool names of white-label.ts. */
const TOOLS: Readonly<Record<string, Icon>> = dictionary({
  'lab-test': LabTest,
  cut: Cut,
  'id-number': IdNumber,
  virus: Virus,
  shield: Shield,
  'hand-up': HandUp,
  link: Link,
  pulse: Pulse,
  endorsed: Endorsed,
  envelope: Envelope,
  'document-share': DocumentShare,
});

export function AppIcon({
  app,
  product,
  size = 14,
}: {
  app: Pick<App, 'name' | 'label' | 'is_saas'>;
  product: string;
  size?: number;
}): JSX.Element {
  const Icon = app.is_saas
    ? SAAS.find(([pattern]) => pattern.test(`${app.name} ${app.label}`))?.[1]
    : TOOLS[toolName(app.name, { product, name: '' }).icon];
  return Icon ? <Icon size={size} /> : <Application size={size} />;
}
