/** The latest item handed to the window from outside, waiting for the analyst's confirmation. */
import { create } from 'zustand';
import { showToast } from '#renderer/ui/toaster.ts';
import type { Offer } from '#shared/bridge/operations.ts';
import { visibleText } from '#shared/model/format.ts';
import type { OfferKind } from '#shared/model/offer.ts';
import { onAppEvent } from './app-events.ts';

interface Asked {
  kind: OfferKind;
  name: string;
  grantId?: string;
  /** Its folder, if it was opened with Parapet. */
  folder?: string;
  /** In a browser, the dropped item instead of a grant. */
  file?: File;
}

export const useOffer = create<{ offer: Asked | null }>(() => ({ offer: null }));

/** Asks before opening anything; a refused item is reported. */
export function offerImport(offer: Asked | Offer): void {
  if (offer.kind === 'refused')
    showToast({
      intent: 'caution',
      title: `Not opened: ${visibleText(offer.name)}`,
      detail: offer.reason,
      stays: true,
    });
  else useOffer.setState({ offer });
}

export const endOffer = (): void => useOffer.setState({ offer: null });

export const startOffers = (): unknown => onAppEvent('offered', ({ offer }) => offerImport(offer));
