import { Button } from '@blueprintjs/core';
import { SearchAround } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { type Command, CommandItem, menuOf, useCommands } from '#renderer/commands/command.tsx';
import { EMAIL_SIMILAR, SIMILAR } from '#renderer/commands/keys.ts';
import { openCampaignOf } from '#renderer/entity/campaign.ts';
import { inSentence, type Likeness, likenesses, openSimilar } from '#renderer/entity/similar.ts';
import { openWhoClicked } from '#renderer/state/who-clicked.ts';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { SIMILAR_MODES, type SimilarMode } from '#shared/api/profile-pages.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import type { EmailReads } from './use-email.ts';

type Count = Read<'email.similar-count'>;

function useSimilarCount(entityId: string, mode: SimilarMode): Count {
  return useRead(
    'email.similar-count',
    useMemo(() => ({ params: { type: 'email', id: entityId }, query: { mode } }), [entityId, mode]),
  );
}

/** One count per mode, each with its own age and error. */
function useSimilarCounts(entityId: string): Readonly<Record<SimilarMode, Count>> {
  return {
    subject: useSimilarCount(entityId, 'subject'),
    sender: useSimilarCount(entityId, 'sender'),
    sender_domain: useSimilarCount(entityId, 'sender_domain'),
    attachment: useSimilarCount(entityId, 'attachment'),
    link: useSimilarCount(entityId, 'link'),
    client_ip: useSimilarCount(entityId, 'client_ip'),
  };
}

/** "212", or why there is no number. */
function countWords({ data, loading, error }: Count): string {
  if (data) return exact(data.count);
  return loading ? 'counting' : error ? 'not counted' : '';
}

function Item(props: { command: Command; kind: Likeness; count: Count }): JSX.Element {
  const { command, kind, count } = props;
  const value =
    kind.entities.length === 1
      ? visibleText(kind.entities[0]?.value ?? '')
      : `${exact(kind.entities.length)} values`;
  const words = (
    <span className="em-similar">
      <span>{kind.label}</span>
      <span className="en-menu-value" title={value}>
        {value}
      </span>
      <span
        className="pp-num"
        title={
          count.error?.message ?? 'Emails with the same value, this one included, as counted by the service'
        }
      >
        {countWords(count)}
      </span>
    </span>
  );
  return <CommandItem command={command} words={words} />;
}

/** Similar emails: a count per mode, each an editable query by one key. */
export function SimilarMenu({ email }: { email: EmailReads }): JSX.Element {
  const { wide } = useBreakpoint();
  const profile = email.profile.data;
  const counts = useSimilarCounts(email.entityId);
  const all = profile ? likenesses(profile, email.attachments.data?.rows) : [];
  const subject = profile?.subject ?? '';
  const most = Math.max(0, ...SIMILAR_MODES.map((mode) => counts[mode].data?.count ?? 0));
  const whoClicked = () =>
    void openWhoClicked({ kind: 'emails', entityIds: [email.entityId], title: subject });
  const isCounted = SIMILAR_MODES.some((mode) => counts[mode].data !== undefined);
  const clicked: Command = { ...EMAIL_SIMILAR.clicked, run: whoClicked };
  const anyOf: Command = {
    ...EMAIL_SIMILAR.any,
    label: 'Any of these',
    run: () => void openSimilar(all, subject),
  };
  const campaign: Command | null = profile?.campaign
    ? {
        ...EMAIL_SIMILAR.campaign,
        label: `Campaign of ${plural(profile.campaign.emails, 'email')}`,
        run: () => openCampaignOf(profile),
      }
    : null;
  const likes = all.map((kind) => ({
    kind,
    command: {
      keys: SIMILAR[kind.id].keys,
      text: `Find ${inSentence(kind.label)}`,
      group: clicked.group,
      run: () => void openSimilar([kind], subject),
    },
  }));
  useCommands(campaign ? [campaign] : []);
  useCommands([...likes.map(({ command }) => command), clicked, anyOf], likes.length > 0);
  return (
    <MenuPopover
      placement="bottom-end"
      disabled={!profile}
      content={menuOf(
        'Similar emails',
        likes.map((like) => <Item key={like.kind.id} {...like} count={counts[like.kind.id]} />),
        [all.length > 1 && anyOf, campaign],
        [clicked],
      )}
    >
      <Button
        icon={<SearchAround size={14} />}
        text={`${wide ? 'Find similar' : 'Similar'}${isCounted ? ` (${exact(most)})` : ''}`}
        title="Largest of the counts, this email included. S opens all of them as one query"
        disabled={!profile}
      />
    </MenuPopover>
  );
}
