/** From an email to its campaign. */

import { readOnce } from '#renderer/bridge/use-read.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { openCampaign } from '#renderer/state/navigation.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { EmailProfile } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';

/** Opens the campaign of an email, or says that it is in none. */
export function openCampaignOf({ campaign }: Pick<EmailProfile, 'campaign'>): void {
  if (campaign) openCampaign(campaign.id, visibleText(campaign.name));
  else
    showToast({
      intent: 'caution',
      title: 'In no campaign',
      detail: 'No other email shares its text, links, attachments or structure.',
    });
}

/** The same for an email that is not open, whose profile is read first. */
export async function findCampaign(saas: string, entityId: string): Promise<void> {
  const connection = currentConnection();
  if (!connection) return;
  await attempt('Email could not be read', async () => {
    const request = { params: { saas }, query: { entity_id: entityId } };
    openCampaignOf((await readOnce(windowBridge(), connection.id, 'email.profile', request)).data);
  });
}
