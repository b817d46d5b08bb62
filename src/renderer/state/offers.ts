/** What was handed to the window from outside and waits for the analyst's word; one at a time, the last one. */
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
  /** Where it lies, when it was opened with Parapet. */
  folder?: string;
  /** In a browser, instead of a grant: what was dropped on the page. */
  file?: File;
}

export const useOffer = create<{ offer: Asked | null }>(() => ({ offer: null }));

/** Asks before anything of it is opened; what is refused is told. */
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
