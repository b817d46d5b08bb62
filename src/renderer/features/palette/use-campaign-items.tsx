/** The campaigns of evidence, by their names. */
import { Layers } from '@blueprintjs/icons';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { openCampaign } from '#renderer/state/navigation.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import type { PaletteItem } from './items.tsx';

const LIST = { query: {} };

/** Those that deserve a look first; none of a tenant. */
export function useCampaignItems(): PaletteItem[] {
  const { connection } = useConnection();
  const { data } = useRead('campaigns.list', connection?.kind === 'evidence' ? LIST : null);
  return (data?.rows ?? []).map(({ id, name, emails }) => ({
    id: `campaign-${id}`,
    group: 'Go to',
    icon: <Layers size={14} />,
    text: visibleText(name),
    detail: 'campaign',
    count: exact(emails),
    also: 'campaigns similar emails',
    run: () => openCampaign(id, visibleText(name)),
  }));
}
